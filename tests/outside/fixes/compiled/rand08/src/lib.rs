//! The sources of `fixtures/fixes` that draw by this crate, as they are and as they are fixed.
#![allow(dead_code)]

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
