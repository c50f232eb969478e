//! The world of one client: a clock that only waits move on, and an operation that fails as often as was planned.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

thread_local! {
    static WORLD: RefCell<World> = RefCell::default();
}

#[derive(Default)]
struct World {
    /// Time that blocking waits took.
    slept: Duration,
    /// When the paused clock of the runtime began.
    began: Option<Instant>,
    /// How the next attempts end.
    plan: VecDeque<bool>,
    /// What the server says in `Retry-After`, seconds; 0 where it says nothing.
    told_s: u32,
    arrivals: Vec<Arrival>,
}

/// One attempt, as the server sees it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub at_s: f64,
    pub succeeds: bool,
}

/// The plan is done: the client is stopped here, however deep it is.
struct Over;

/// The attempts of one client.
pub fn attempts(plan: &[bool], told_s: u32, client: fn()) -> Vec<Arrival> {
    WORLD.with_borrow_mut(|world| {
        *world = World { plan: plan.iter().copied().collect(), told_s, ..World::default() };
    });
    if let Err(what) = std::panic::catch_unwind(client) {
        if !what.is::<Over>() {
            std::panic::resume_unwind(what);
        }
    }
    WORLD.take().arrivals
}

/// The server is asked. Whether it answers.
pub fn asked() -> bool {
    let outcome = WORLD.with_borrow_mut(|world| {
        let async_s = world.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        let outcome = world.plan.pop_front();
        let succeeds = outcome.unwrap_or_default();
        world.arrivals.push(Arrival { at_s: async_s + world.slept.as_secs_f64(), succeeds });
        outcome
    });
    // no hook is called: this is no panic
    outcome.unwrap_or_else(|| std::panic::resume_unwind(Box::new(Over)))
}

/// How long the server asks to be left alone, seconds; 0 where it does not.
pub fn told_s() -> u32 {
    WORLD.with_borrow(|world| world.told_s)
}

/// A blocking wait.
pub fn sleep(duration: Duration) {
    WORLD.with_borrow_mut(|world| world.slept += duration);
}

/// Runs a client under a clock that stands still until all wait.
pub fn block_on(client: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let now = Instant::now();
        WORLD.with_borrow_mut(|world| world.began = Some(now));
        client.await;
    });
}
