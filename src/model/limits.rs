//! The limits that a configuration sets and rules' pages read: their names and what they measure.
//! Here, because settings and rules must spell them the same and do not see each other.

/// What a limit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How many.
    Count,
    /// How long, in seconds.
    Seconds,
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitInfo {
    /// As configurations and pages spell it.
    pub name: &'static str,
    /// What it measures.
    pub measure: Measure,
}

/// The longest delay; what messages suggest stays below it.
pub const MAX_DELAY: &str = "max-delay";

/// Every limit.
pub const LIMITS: &[LimitInfo] = &[
    LimitInfo { name: "max-attempts", measure: Measure::Count },
    LimitInfo { name: MAX_DELAY, measure: Measure::Seconds },
    LimitInfo { name: "max-total", measure: Measure::Seconds },
];

/// The limit of this name.
pub fn limit_info(name: &str) -> Option<&'static LimitInfo> {
    LIMITS.iter().find(|limit| limit.name == name)
}

/// A cap for a delay that starts so, in seconds: 30 s, which suits calls that somebody waits for, or eight times a start that is longer than
/// that allows.
pub fn suggested_cap(first_s: f64) -> f64 {
    (first_s * 8.0).max(30.0)
}
