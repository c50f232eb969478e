//! The engine behind the `retry-lint` command: reads Rust sources, recovers the retry policies in them and judges them.
//! Data flows one way: `source` → `resolve`, `body` → `detect` → `rules` → `report`. See ARCHITECTURE.md.

pub mod body;
pub mod cli;
pub mod detect;
pub mod fix;
pub mod knowledge;
pub mod model;
pub mod report;
pub mod resolve;
pub mod rules;
pub mod settings;
pub mod source;
