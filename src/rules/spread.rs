//! How messages write a random delay: as full, equal or decorrelated jitter, whichever the configuration prefers.
//! Words only; what the delay is, the page says.

use minijinja::Error;
use minijinja::value::Kwargs;

use crate::model::Jitter;

/// `"min(30 s, d)" | spread(base="1 s", cap="30 s")`: the delay as it would be drawn. `base` and `cap` are for those who draw
/// from the last wait and not from the delay.
pub(super) fn spread(delay: &str, of: &Kwargs, jitter: Jitter) -> Result<String, Error> {
    let base: Option<&str> = of.get("base")?;
    let cap: Option<&str> = of.get("cap")?;
    of.assert_all_used()?;
    Ok(match jitter {
        Jitter::Decorrelated => decorrelated(cap, base.unwrap_or("base")),
        Jitter::Equal if delay == "d" => "U(d/2, d)".to_owned(),
        Jitter::Equal => format!("U(x/2, x) with x = {delay}"),
        _ => format!("U(0, {delay})"),
    })
}

/// Each wait drawn from the last one.
pub(super) fn decorrelated(cap: Option<&str>, base: &str) -> String {
    match cap {
        Some(cap) => format!("min({cap}, U({base}, 3 × w)) with w the last wait"),
        None => format!("U({base}, 3 × w) with w the last wait"),
    }
}
