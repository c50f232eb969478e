//! The client of a weather station. Its retries are the usual ones, and all but one of them hurt the server when it is down.

pub mod live;
pub mod readings;
pub mod reports;
