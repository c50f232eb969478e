//! A panic in the engine is our fault and not the end of a run: it becomes a problem of the file it happened in, and the rest is still read.

use crate::model::Problem;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

thread_local! {
    /// Where this thread last panicked; the payload that `catch_unwind` gives does not know.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes where a panic happens in place of printing it. For the program only: a hook belongs to the whole process.
pub(super) fn note_panics() {
    set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
        PLACE.with(|slot| *slot.borrow_mut() = place);
    }));
}

/// What the work gives, or the problem that a panic in it is.
pub(super) fn guarded<T>(path: &str, work: impl FnOnce() -> T) -> Result<T, Problem> {
    // What the work has half changed is dropped with it: nothing that it borrows mutably is looked at again.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let place = PLACE.with(|slot| slot.borrow_mut().take()).unwrap_or_else(|| "unknown place".to_owned());
        Problem {
            path: path.to_owned(),
            line: 0,
            column: 0,
            message: format!(
                "internal error at {place}: {}; retries may be missing here; please report it at {}/issues",
                words(&*payload),
                env!("CARGO_PKG_REPOSITORY")
            ),
            fatal: true,
        }
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let word = payload.downcast_ref::<&str>().copied();
    word.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without words")
}

#[cfg(test)]
#[allow(clippy::panic, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_problem_of_its_file() {
        assert_eq!(guarded("a.rs", || 1), Ok(1));
        let problem = guarded("a.rs", || -> u8 { panic!("index {} too large", 7) }).unwrap_err();
        assert_eq!(problem.path, "a.rs");
        assert!(problem.fatal && problem.message.contains("index 7 too large"), "{}", problem.message);
        let problem = guarded("a.rs", || -> u8 { std::panic::panic_any(7) }).unwrap_err();
        assert!(problem.message.contains("without words"), "{}", problem.message);
    }
}
