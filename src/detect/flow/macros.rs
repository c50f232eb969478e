//! Macro calls: `select!` and `matches!` by their syntax, the others by what the vocabulary says of them.
//! No macro is expanded; one that nobody knows may do anything with its arguments.

use super::state::{State, Tag, Val};
use super::{Flow, Paths, Walker, next, then};
use crate::body::{ExprId, ExprKind, MacroInput};
use crate::knowledge::{Role, says};

impl Walker<'_, '_> {
    pub(super) fn macro_call(&mut self, id: ExprId, s: State) -> Paths {
        let body = self.body();
        let ExprKind::Macro(call) = &body.expr(id).kind else { return next(s, Val::Unknown) };
        match &call.input {
            MacroInput::Matches { .. } => {
                let (answers, mut out) = self.cond(id, s);
                out.extend(answers.into_iter().map(|(state, truth)| (state, Flow::Next(Val::Bool(truth)))));
                out
            }
            MacroInput::Select { arms, .. } => {
                let mut out = Vec::new();
                let mut s = s;
                // whichever arm wins, the signal was listened to
                s.marks.raced |= self.cx.listens_to_a_signal(arms.iter().filter_map(|arm| arm.future));
                for arm in arms {
                    let mut states = vec![s.clone()];
                    if let Some(guard) = arm.guard {
                        let (answers, escapes) = self.cond(guard, s.clone());
                        out.extend(escapes);
                        states =
                            answers.into_iter().filter(|(_, truth)| *truth).map(|(state, _)| state).collect();
                    }
                    for state in states {
                        let Some(future) = arm.future else {
                            out.extend(self.eval(arm.body, state));
                            continue;
                        };
                        // `_ = &mut stop`: a signal that was made before, by its name
                        let signal = says(&self.cx.words().cancel, &self.cx.base_text(future));
                        let paths = self.eval(future, state);
                        let paths = then(paths, |state, val| {
                            let val = if signal && val == Val::Unknown { Val::Cancel } else { val };
                            self.awaited(val, state)
                        });
                        out.extend(then(paths, |state, val| {
                            let matched = match arm.pat {
                                Some(pat) => self.bind(pat, &val, state).0,
                                None => vec![state],
                            };
                            matched.into_iter().flat_map(|state| self.eval(arm.body, state)).collect()
                        }));
                    }
                }
                self.joined(out)
            }
            MacroInput::Block(block) => {
                let paths = self.eval(*block, s);
                then(paths, |state, _| next(state, Val::Unknown))
            }
            MacroInput::Args(args) => {
                let read: Vec<ExprId> = args.iter().chain(&call.captures).copied().collect();
                self.macro_args(id, &read, s)
            }
            MacroInput::Words(_) => self.macro_args(id, &call.captures, s),
        }
    }

    fn macro_args(&mut self, id: ExprId, args: &[ExprId], s: State) -> Paths {
        let callee = self.cx.callee(id);
        let role = callee.role().cloned();
        let awaits = matches!(role, Some(Role::Remote { .. } | Role::Event));
        // `pin!(pause)` begins nothing: who awaits the pinned one waits
        let pins = self.cx.call_name(id).starts_with("pin");
        let paths = self.eval_all(args, s);
        let mut out = Vec::new();
        for (mut state, flow, vals) in paths {
            if let Some(flow) = flow {
                out.push((state, flow));
                continue;
            }
            if !matches!(role, Some(Role::Log | Role::Diverge | Role::Bail { .. })) {
                state.fill_all();
            }
            match &role {
                Some(Role::Diverge) => out.push((state, Flow::Diverge)),
                Some(Role::Bail { unless }) => {
                    let built = Val::Built(Tag::Err, Box::new(Val::Unknown));
                    if unless.is_some() {
                        let mut on = state.clone();
                        on.conds.push((id, true));
                        out.push((on, Flow::Next(Val::Unknown)));
                        state.conds.push((id, false));
                    }
                    out.push((state, Flow::Return(built)));
                }
                Some(Role::Log) => {
                    state.marks.log = true;
                    out.push((state, Flow::Next(Val::Unknown)));
                }
                Some(Role::Adaptor) => {
                    let val = vals.into_iter().next().unwrap_or(Val::Unknown);
                    if pins && matches!(val, Val::Timer(_)) {
                        out.push((state, Flow::Next(val)));
                    } else {
                        out.extend(self.awaited(val, state));
                    }
                }
                _ if awaits => {
                    state.called(id);
                    out.push((state, Flow::Next(Val::Outcome(id))));
                }
                _ => {
                    if args.is_empty() && self.cx.call_name(id) == "vec" {
                        out.push((state, Flow::Next(Val::Empty)));
                        continue;
                    }
                    // a macro that nobody knows, given operations: it may await them
                    let val = vals.iter().find(|val| matches!(val, Val::Outcome(_) | Val::Item(_))).cloned();
                    out.push((state, Flow::Next(val.unwrap_or(Val::Unknown))));
                }
            }
        }
        out
    }
}
