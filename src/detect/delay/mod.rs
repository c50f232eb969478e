//! What the delay between two attempts is: its arithmetic replayed in intervals, its growth and jitter read off the sequence.
//! It knows delays only; which trips fail is the flow's business.

mod amount;
mod arithmetic;
mod branches;
mod calls;
mod choices;
mod eval;
mod methods;
mod options;
mod parts;
mod places;
mod policies;
mod read;
mod replay;
mod rounds;
mod sequences;
mod tables;
mod vocabulary;

pub(crate) use amount::{Amount, Cap};
pub(crate) use choices::{Choices, for_each};
pub(crate) use eval::{Env, Eval, Key};
pub(crate) use policies::delays_of;
pub(crate) use read::{Shown, clips_in_a_variant, in_common, read};
pub(crate) use replay::{MOST_ATTEMPTS, Replay, can_come, rearmed, replay};
pub(crate) use rounds::{put_off, replay_calls, replay_counted, replay_once};
pub(crate) use sequences::{applied, items, spread_of};
