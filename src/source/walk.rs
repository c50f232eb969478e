//! stub
/// stub
#[derive(Debug)]
pub struct Walk;
/// stub
#[derive(Debug)]
pub struct WalkError;
/// stub
pub fn walk() {}
/// stub
pub fn read() {}
