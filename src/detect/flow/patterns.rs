//! Patterns: which paths a pattern lets through, and what that tells about outcomes.

use super::conditions::narrow_status;
use super::state::Verdict;
use super::{Op, State, Tag, Val, Walker};
use crate::body::{ExprId, ExprKind, Lit, PatId, PatKind, Path};
use crate::detect::statuses;
use crate::knowledge::{self, is_one_of, says};
use crate::resolve::Target;
use smallvec::SmallVec;

/// Paths on which the pattern matches, and those on which it does not.
type Split = (Vec<State>, Vec<State>);

impl Walker<'_, '_> {
    /// Matches a value against a pattern on one path.
    pub(super) fn bind(&mut self, pat: PatId, val: &Val, mut s: State) -> Split {
        let body = self.body();
        match &body.pat(pat).kind {
            PatKind::Wild | PatKind::Rest => (vec![s], Vec::new()),
            PatKind::Other => (vec![s.clone()], vec![s]),
            PatKind::Bind { sub, .. } => {
                s.set(pat, val.clone());
                match sub {
                    Some(sub) => self.bind(*sub, val, s),
                    None => (vec![s], Vec::new()),
                }
            }
            PatKind::Path(path) => self.bind_variant(pat, path, &[], val, s),
            PatKind::TupleStruct(path, subs) => self.bind_variant(pat, path, subs, val, s),
            PatKind::Struct(path, fields) => {
                let subs: Vec<PatId> = fields.iter().map(|(_, sub)| *sub).collect();
                self.bind_variant(pat, path, &subs, val, s)
            }
            PatKind::Tuple(subs) => {
                let parts: Vec<Val> = match val {
                    Val::Tuple(parts) if parts.len() == subs.len() => parts.clone(),
                    // one operation's outcome beside others of it: `(status, body)` of a reply
                    Val::Payload(..) | Val::Item(_) | Val::Derived(..) => vec![val.clone(); subs.len()],
                    // what gives a tuple has not failed by that
                    Val::Outcome(op) => vec![Val::Payload(*op, Tag::Ok); subs.len()],
                    _ => vec![Val::Unknown; subs.len()],
                };
                self.bind_parts(subs, &parts, s)
            }
            PatKind::Slice(subs) => {
                let inner =
                    if matches!(val, Val::Item(_) | Val::Payload(..)) { val.clone() } else { Val::Unknown };
                let (matched, mut not) = self.bind_parts(subs, &vec![inner; subs.len()], s.clone());
                not.push(s);
                (matched, not)
            }
            PatKind::Or(alternatives) => {
                let mut matched = Vec::new();
                let before = s.arms.clone();
                let mut left = vec![s];
                for alternative in alternatives {
                    let mut unmatched = Vec::new();
                    for state in left {
                        let (mut yes, no) = self.bind(*alternative, val, state);
                        // which of them matched, paths are joined over: that one did, they keep
                        for state in yes.iter_mut().filter(|state| state.arms != before) {
                            state.arms.clone_from(&before);
                            state.arms.push(pat);
                        }
                        matched.extend(yes);
                        unmatched.extend(no);
                    }
                    left = self.joined_states(unmatched);
                }
                (self.joined_states(matched), left)
            }
            PatKind::Lit(lit) => {
                let truth = match &body.expr(*lit).kind {
                    ExprKind::Lit(Lit::Bool(truth)) => Some(*truth),
                    _ => None,
                };
                match (val, truth) {
                    (Val::Bool(is), Some(truth)) => certain(*is == truth, s),
                    (Val::Test(..) | Val::Truth(..) | Val::Outcome(_) | Val::Derived(..), Some(truth)) => {
                        let answers = self.split_value(*lit, val, s);
                        let (yes, no): (Vec<_>, Vec<_>) =
                            answers.into_iter().partition(|(_, is)| *is == truth);
                        (yes.into_iter().map(|it| it.0).collect(), no.into_iter().map(|it| it.0).collect())
                    }
                    (Val::Code(op), None)
                        if matches!(body.expr(*lit).kind, ExprKind::Lit(Lit::Int(0, _))) =>
                    {
                        let mut not = s.clone();
                        let mut yes = s;
                        yes.decide(*op, Tag::GoodStatus, Verdict::Success);
                        not.decide(*op, Tag::BadStatus, Verdict::Failure);
                        (vec![yes], vec![not])
                    }
                    (Val::Status(op), None) => match statuses::status_of(self.cx, *lit) {
                        Some(code) => bind_status(*op, &[(code, code)], s),
                        None => both(s),
                    },
                    // a number beside an outcome, `(Err(error), 0)`: what it counts, the bounds ask
                    (Val::Unknown, None) if matches!(body.expr(*lit).kind, ExprKind::Lit(Lit::Int(..))) => {
                        let (mut yes, mut no) = (s.clone(), s);
                        yes.conds.push((*lit, true));
                        no.conds.push((*lit, false));
                        (vec![yes], vec![no])
                    }
                    _ => both(s),
                }
            }
            PatKind::Range { start, end, inclusive } => {
                let code = |id: &Option<ExprId>| id.and_then(|id| statuses::status_of(self.cx, id));
                match (val, code(start), code(end)) {
                    (Val::Status(op), Some(from), to) => {
                        let to = to.map_or(599, |to| if *inclusive { to } else { to.saturating_sub(1) });
                        bind_status(*op, &[(from, to)], s)
                    }
                    _ => both(s),
                }
            }
        }
    }

    /// All parts match in turn; a path leaves at the first that does not.
    fn bind_parts(&mut self, subs: &[PatId], parts: &[Val], s: State) -> Split {
        let mut going = vec![s];
        let mut not = Vec::new();
        for (sub, part) in subs.iter().zip(parts) {
            let mut matched = Vec::new();
            for state in going {
                let (yes, no) = self.bind(*sub, part, state);
                matched.extend(yes);
                not.extend(no);
            }
            going = matched;
        }
        (going, self.joined_states(not))
    }

    fn bind_variant(&mut self, pat: PatId, path: &Path, subs: &[PatId], val: &Val, s: State) -> Split {
        if subs.is_empty() && self.is_whole_type(path) {
            return (vec![s], Vec::new());
        }
        let tag = self.variant_tag(path);
        let tag = if tag == Tag::Some && self.binds_an_error(subs) { Tag::Err } else { tag };
        let other = tag.other().filter(|_| self.is_closed(path));
        match val {
            Val::Outcome(op) => match s.look(*op).map(|look| &look.tag) {
                // a reply whose status was asked, in the guard of an arm above, is there however it went
                Some(Tag::GoodStatus | Tag::BadStatus) if matches!(tag, Tag::Ok | Tag::Some) => {
                    self.bind_subs(subs, &Val::Payload(*op, tag), s)
                }
                Some(Tag::GoodStatus | Tag::BadStatus) if matches!(tag, Tag::Err | Tag::None) => {
                    (Vec::new(), vec![s])
                }
                _ => self.bind_outcome(*op, &tag, other, subs, s),
            },
            Val::Derived(_, op) => {
                let mut s = s;
                s.called_once(*op);
                self.bind_outcome(*op, &tag, other, subs, s)
            }
            Val::Payload(op, outer) => self.bind_payload(pat, *op, outer, (&tag, other), subs, s),
            // the status of an error, where it has one
            Val::Status(_) if tag == Tag::Some && subs.len() == 1 => {
                let not = s.clone();
                let (matched, mut left) = self.bind_subs(subs, val, s);
                left.push(not);
                (matched, left)
            }
            Val::Status(op) => match statuses::status_named(path) {
                Some(code) => bind_status(*op, &[(code, code)], s),
                None => both(s),
            },
            Val::Built(built, inner) => {
                if *built == tag {
                    return self.bind_subs(subs, inner, s);
                }
                let unlike = built.other() == Some(tag.clone())
                    || matches!((built, &tag), (Tag::Variant(_), Tag::Variant(_)));
                if unlike { (Vec::new(), vec![s]) } else { self.unsure(subs, s) }
            }
            Val::Item(_) | Val::Hint(_) | Val::Code(_) => {
                let not = s.clone();
                let (matched, mut left) = self.bind_subs(subs, val, s);
                left.push(not);
                (matched, left)
            }
            // a struct pattern without alternatives takes its value apart: that is no test
            _ => self.unsure(subs, s),
        }
    }

    /// Whether a path names a struct of the crate without fields: a pattern that always matches.
    fn is_whole_type(&self, path: &Path) -> bool {
        match self.cx.krate.path(self.cx.at, &path.segments) {
            Target::Item(item) => self.cx.krate.struct_data(item).is_some_and(|data| data.fields.is_empty()),
            _ => false,
        }
    }

    /// Whether what a variant's path names has just one other: `Continue` of std's `ControlFlow`, and not of an enum of the crate's own.
    fn is_closed(&self, path: &Path) -> bool {
        match path.segments.as_slice() {
            [.., owner, last] if matches!(last.as_str(), "Continue" | "Break") => owner == "ControlFlow",
            [only] if matches!(only.as_str(), "Continue" | "Break") => {
                !matches!(self.cx.krate.path(self.cx.at, &path.segments), Target::Variant(..))
            }
            _ => true,
        }
    }

    fn unsure(&mut self, subs: &[PatId], s: State) -> Split {
        let not = s.clone();
        let (matched, mut left) = self.bind_subs(subs, &Val::Unknown, s);
        left.push(not);
        (matched, left)
    }

    fn names_a_failure(&self, pat: PatId) -> bool {
        matches!(&self.body().pat(pat).kind, PatKind::TupleStruct(path, _) if path.last() == "Err")
    }

    fn bind_outcome(&mut self, op: Op, tag: &Tag, other: Option<Tag>, subs: &[PatId], s: State) -> Split {
        if let Some(look) = s.look(op) {
            let seen = look.tag.clone();
            let same_family = seen.other() == Some(tag.clone())
                || matches!((&seen, tag), (Tag::Variant(_), Tag::Variant(_)));
            if seen == *tag || (seen == Tag::Err && *tag == Tag::None) {
                return self.bind_subs(subs, &Val::Payload(op, tag.clone()), s);
            }
            // `Ok(Err(error))` beside `Ok(Ok(value))`: which of the two results failed, nobody has looked at yet
            if seen == Tag::Err && *tag == Tag::Ok && subs.iter().any(|sub| self.names_a_failure(*sub)) {
                let not = s.clone();
                let (matched, mut left) = self.bind_subs(subs, &Val::Payload(op, Tag::Err), s);
                left.push(not);
                return (matched, left);
            }
            if same_family {
                return (Vec::new(), vec![s]);
            }
        }
        let mut not = s.clone();
        let mut yes = s;
        let verdict = self.verdict(op, tag);
        yes.decide(op, tag.clone(), verdict);
        if let Some(other) = other {
            let verdict = if *tag == Tag::Err { Verdict::Success } else { self.verdict(op, &other) };
            not.decide(op, other, verdict);
        }
        let (matched, mut left) = self.bind_subs(subs, &Val::Payload(op, tag.clone()), yes);
        left.push(not);
        (matched, left)
    }

    /// A pattern inside `Ok(..)`, `Err(..)`, a variant: decides the same operation again; any failure inside wins.
    fn bind_payload(
        &mut self,
        pat: PatId,
        op: Op,
        outer: &Tag,
        (tag, other): (&Tag, Option<Tag>),
        subs: &[PatId],
        s: State,
    ) -> Split {
        // `match reply.error_for_status() { Ok(..) => .., Err(..) if .. => .., Err(..) => .. }`: the first arm told which of the two it is
        if let Some(look) = s.look(op).filter(|look| look.tag != *outer && *outer != Tag::Err) {
            if look.tag == *tag {
                return self.bind_subs(subs, &Val::Payload(op, tag.clone()), s);
            }
            if look.tag.other().as_ref() == Some(tag) {
                return (Vec::new(), vec![s]);
            }
        }
        let failed = s.look(op).is_some_and(|look| look.verdict == Verdict::Failure);
        if failed || matches!(outer, Tag::Err) {
            let not = s.clone();
            let mut yes = s;
            if !yes.arms.contains(&pat) {
                yes.arms.push(pat);
            }
            let (matched, mut left) = self.bind_subs(subs, &Val::Payload(op, Tag::Err), yes);
            left.push(not);
            return (matched, left);
        }
        let mut not = s.clone();
        let mut yes = s;
        let verdict = self.verdict(op, tag);
        let verdict = if verdict == Verdict::Unclear { Verdict::Success } else { verdict };
        yes.decide(op, tag.clone(), verdict);
        // that a result within the result failed tells no errors apart
        if *tag != Tag::Err && !yes.arms.contains(&pat) {
            yes.arms.push(pat);
        }
        match other {
            Some(other) => {
                let verdict = self.verdict(op, &other);
                not.decide(op, other, verdict);
            }
            None => not.arms.retain(|arm| *arm != pat),
        }
        let (matched, mut left) = self.bind_subs(subs, &Val::Payload(op, tag.clone()), yes);
        left.push(not);
        (matched, left)
    }

    /// The tag that a variant's path stands for. `Retry::After` says by its enum what `After` alone does not.
    pub(super) fn variant_tag(&self, path: &Path) -> Tag {
        let [.., of, last] = path.segments.as_slice() else { return Tag::of_variant(path.last()) };
        let words = self.cx.words();
        let goes_on = knowledge::parts(last).first().is_some_and(|part| is_one_of(&words.go_on, part));
        if goes_on && says(&words.retry, of) {
            return Tag::Variant(format!("Retry{last}").into());
        }
        Tag::of_variant(last)
    }

    fn bind_subs(&mut self, subs: &[PatId], inner: &Val, s: State) -> Split {
        let parts: SmallVec<[Val; 2]> = match inner {
            Val::Tuple(parts) if parts.len() == subs.len() => parts.iter().cloned().collect(),
            other => subs.iter().map(|_| other.clone()).collect(),
        };
        self.bind_parts(subs, &parts, s)
    }

    /// `Some(err)`: an inverted option, whose content is a failure.
    fn binds_an_error(&self, subs: &[PatId]) -> bool {
        let [sub] = subs else { return false };
        match &self.body().pat(*sub).kind {
            PatKind::Bind { name, .. } => {
                knowledge::parts(name).last().is_some_and(|part| part == "err" || part == "error")
            }
            PatKind::TupleStruct(path, _) => path.last() == "Err",
            _ => false,
        }
    }
}

fn bind_status(op: Op, ranges: &[(u16, u16)], s: State) -> Split {
    let mut not = s.clone();
    let mut yes = s;
    narrow_status(op, ranges, true, &mut yes);
    narrow_status(op, ranges, false, &mut not);
    (vec![yes], vec![not])
}

fn both(s: State) -> Split {
    (vec![s.clone()], vec![s])
}

fn certain(matches: bool, s: State) -> Split {
    if matches { (vec![s], Vec::new()) } else { (Vec::new(), vec![s]) }
}
