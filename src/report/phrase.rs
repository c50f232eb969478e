//! A site's policy in the few words of a table: how long it waits, whether that is random, when it ends. What is not known is `?`.

use crate::model::{BoundKind, Growth, Jitter, Site};

/// The operation that is tried again.
pub(super) fn operation(site: &Site) -> String {
    site.operation.text.value().cloned().unwrap_or_else(|| "?".to_owned())
}

/// How long it waits.
pub(super) fn waits(site: &Site) -> String {
    let delay = &site.delay;
    let first = delay.first_s.value().map(|s| seconds(*s));
    let Some(growth) = delay.growth.value() else {
        return first.map_or_else(|| "?".to_owned(), |first| format!("{first}, then ?"));
    };
    match growth {
        Growth::None => "not at all".to_owned(),
        Growth::Constant => format!("{} each", first.unwrap_or_else(|| "? (constant)".to_owned())),
        Growth::Random => format!("random, up to {}", largest(site)),
        Growth::Server if delay.server_capped.is(&true) => "as the server says, capped".to_owned(),
        Growth::Server => "as the server says".to_owned(),
        Growth::Linear | Growth::Exponential | Growth::Fibonacci | Growth::Table => {
            format!("{}, {} to {}", growth.word(), first.unwrap_or_else(|| "?".to_owned()), largest(site))
        }
    }
}

/// The largest delay: over the attempts that happen, or else what the code allows.
fn largest(site: &Site) -> String {
    let delay = &site.delay;
    if let Some(known) = delay.largest_s.value().or(delay.cap_s.value()) {
        return seconds(*known);
    }
    match delay.capped.value() {
        Some(false) => "no cap".to_owned(),
        Some(true) => "a cap".to_owned(),
        None => "?".to_owned(),
    }
}

/// Whether the wait is random.
pub(super) fn random(site: &Site) -> String {
    let delay = &site.delay;
    if delay.growth.is(&Growth::None) {
        return "-".to_owned();
    }
    let Some(jitter) = delay.jitter.value() else { return "?".to_owned() };
    if delay.jitter_repeats.is(&true) {
        return format!("{}, but repeats", jitter.word());
    }
    match (jitter, delay.jitter_share.value()) {
        (Jitter::None, _) => "no".to_owned(),
        (Jitter::Additive | Jitter::Proportional | Jitter::Other, Some(share)) => {
            format!("{} {}%", jitter.word(), number(share * 100.0))
        }
        _ => jitter.word().to_owned(),
    }
}

/// Whether it is known to wait, and to wait as long in every client.
pub(super) fn waits_without_random(site: &Site) -> bool {
    site.delay.jitter.is(&Jitter::None)
        && site.delay.growth.value().is_some_and(|growth| *growth != Growth::None)
}

/// What ends it.
pub(super) fn ends(site: &Site) -> String {
    let attempts = &site.attempts;
    match attempts.kind.value() {
        None => "?".to_owned(),
        Some(BoundKind::Bounded) => match attempts.max.value() {
            Some(1.0) => "after 1 attempt".to_owned(),
            Some(max) => format!("after {} attempts", number(*max)),
            None => "after ? attempts".to_owned(),
        },
        Some(BoundKind::Deadline) => "at a deadline".to_owned(),
        Some(BoundKind::Cancellable) => "on a stop signal".to_owned(),
        Some(BoundKind::Unbounded) => "never".to_owned(),
    }
}

/// How sure, and what is so only because a comment says so.
pub(super) fn sure(site: &Site) -> String {
    let mut text = site.confidence.word().to_owned();
    for assumed in &site.assumed {
        text += ", assumed ";
        text += &assumed.word;
    }
    text
}

/// A time in the unit that suits it: `100ms`, `1.5s`, `5min`.
pub(super) fn seconds(s: f64) -> String {
    // Units up to where the next one reads better; 90 s is said in seconds, 5 min in minutes.
    let (value, unit) = match s {
        s if !s.is_finite() || s < 0.0 => return "?".to_owned(),
        0.0 => (0.0, "s"),
        s if s < 0.001 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s if s < 120.0 => (s, "s"),
        s if s < 7_200.0 => (s / 60.0, "min"),
        s => (s / 3_600.0, "h"),
    };
    format!("{}{unit}", number(value))
}

/// At most two decimals, none where they are zero.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `1 file`, `2 files`.
pub(super) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fact, Kind};
    use crate::report::samples::place;

    fn site() -> Site {
        Site::new(place("a.rs", "loop {}", "loop {}"), "f".to_owned(), Kind::Retry)
    }

    #[test]
    fn nothing_known_is_all_question_marks() {
        let site = site();
        assert_eq!([operation(&site), waits(&site), random(&site), ends(&site)], ["?"; 4]);
    }

    #[test]
    fn growth_and_size_are_told_apart() {
        let mut site = site();
        site.delay.growth = Fact::known(Growth::Constant);
        assert_eq!(waits(&site), "? (constant) each");
        site.delay.first_s = Fact::known(0.1);
        assert_eq!(waits(&site), "100ms each");
        site.delay.growth = Fact::known(Growth::Exponential);
        assert_eq!(waits(&site), "exponential, 100ms to ?");
        site.delay.capped = Fact::known(false);
        assert_eq!(waits(&site), "exponential, 100ms to no cap");
        site.delay.largest_s = Fact::known(30.0);
        assert_eq!(waits(&site), "exponential, 100ms to 30s");
        site.delay.growth = Fact::Unknown;
        assert_eq!(waits(&site), "100ms, then ?");
    }

    #[test]
    fn random_says_of_what_kind_and_whether_it_is_real() {
        let mut site = site();
        site.delay.jitter = Fact::known(Jitter::None);
        assert_eq!(random(&site), "no");
        site.delay.jitter = Fact::known(Jitter::Additive);
        site.delay.jitter_share = Fact::known(0.1);
        assert_eq!(random(&site), "additive 10%");
        site.delay.jitter_repeats = Fact::known(true);
        assert_eq!(random(&site), "additive, but repeats");
        site.delay.growth = Fact::known(Growth::None);
        assert_eq!(random(&site), "-");
    }

    #[test]
    fn ends_say_the_number_where_it_is_known() {
        let mut site = site();
        site.attempts.kind = Fact::known(BoundKind::Bounded);
        assert_eq!(ends(&site), "after ? attempts");
        site.attempts.max = Fact::known(4.0);
        assert_eq!(ends(&site), "after 4 attempts");
        site.attempts.kind = Fact::known(BoundKind::Unbounded);
        assert_eq!(ends(&site), "never");
    }

    #[test]
    fn times_are_said_in_the_unit_that_suits_them() {
        let said: Vec<String> =
            [0.0, 0.000_25, 0.1, 1.0, 1.5, 90.0, 300.0, 7_200.0, f64::NAN, -1.0, f64::INFINITY]
                .into_iter()
                .map(seconds)
                .collect();
        assert_eq!(said, ["0s", "250µs", "100ms", "1s", "1.5s", "90s", "5min", "2h", "?", "?", "?"]);
    }
}
