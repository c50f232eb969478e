//! What was understood of the loops of a file, for people who work on the detector (`cargo run --example flow`).
//! Words about the inside; nothing else reads them.

use super::classify::classify;
use super::context::{Context, Neighbours};
use super::flow::{self, Flow, State};
use super::memo::Memo;
use super::remote;
use super::summary::{MOST_CALLS, summary};
use super::{Crate, Knowledge};
use crate::source::ItemKind;
use std::fmt::Write;
use std::rc::Rc;

/// Describes each loop of the functions at this line of a file.
pub fn describe(krate: &Crate, knowledge: &Knowledge, path: &str, line: u32) -> String {
    let memo = Memo::default();
    let knowledge = &*knowledge.for_versions(&|name| krate.may_list(name), &|name| krate.versions(name));
    let mut out = String::new();
    for (at, item) in krate.items() {
        let Some(file) = krate.file(at) else { continue };
        let place = file.place(item.span);
        if !file.path.ends_with(path)
            || place.line > line
            || place.end_line < line
            || !matches!(item.kind, ItemKind::Fn | ItemKind::MacroRules)
        {
            continue;
        }
        let bodies: Vec<_> = if item.kind == ItemKind::Fn {
            krate.body(at).into_iter().collect()
        } else {
            krate.macro_arms(at).iter().collect()
        };
        let _ = writeln!(out, "fn {} {:?} bodies {}", item.name, item.tells, bodies.len());
        for body in bodies {
            let near = Rc::new(Neighbours::default());
            let cx = Context::new(krate, knowledge, &memo, &near, at, body);
            let followed = flow::follow(&cx);
            let _ = writeln!(
                out,
                "cut {} spawned {:?} summary {:?}",
                followed.cut,
                followed.spawned,
                summary(&cx, at)
            );
            for (id, record) in &followed.loops {
                let Some(place) = cx.place(*id) else { continue };
                let _ = writeln!(out, "loop at {} {:?} outer {:?}", place.line, record.shape, record.outer);
                if let Some(classified) = classify(&cx, &followed, *id, record) {
                    let _ = writeln!(
                        out,
                        "  => {:?} {:?} remote {:?}",
                        classified.kind, classified.reasons, classified.remote
                    );
                }
                for state in &record.backs {
                    let _ = writeln!(out, "  back {}", told(&cx, &followed, state));
                }
                for (state, flow) in &record.exits {
                    let how = match flow {
                        Flow::Next(_) => "head".to_owned(),
                        other => format!("{other:?}"),
                    };
                    let _ = writeln!(out, "  exit {how}: {}", told(&cx, &followed, state));
                }
            }
        }
    }
    out
}

fn told(cx: &Context<'_>, followed: &flow::Followed, state: &State) -> String {
    let mut out = String::new();
    for look in &state.looked {
        let _ = write!(out, "{}={:?}/{:?} ", cx.text(look.op), look.tag, look.verdict);
    }
    out.push('|');
    for op in &state.calls {
        let remote = remote::of_call(cx, *op, MOST_CALLS).map(|it| (it.is, it.certain));
        let item = followed.of_item.contains_key(op);
        let _ = write!(out, " {}({:?}{})", cx.call_name(*op), remote, if item { " item" } else { "" });
    }
    out.push_str(" | waits");
    for wait in &state.waits {
        let _ = write!(out, " {}", cx.text(*wait));
    }
    out.push_str(" | conds");
    for (cond, truth) in &state.conds {
        let _ = write!(out, " [{} {truth}]", cx.text(*cond));
    }
    if let Some(codes) = &state.codes {
        let _ = write!(out, " codes {codes:?}");
    }
    out
}
