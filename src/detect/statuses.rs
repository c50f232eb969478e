//! HTTP statuses as they are written: numbers, constants of any crate by their registered names.

use super::context::Context;
use crate::body::{ExprId, ExprKind, Lit, Path};
use crate::resolve::Target;

/// The names of RFC 9110 and its companions for the statuses that retry code speaks of.
const NAMES: &[(&str, u16)] = &[
    ("CONTINUE", 100),
    ("OK", 200),
    ("CREATED", 201),
    ("ACCEPTED", 202),
    ("NON_AUTHORITATIVE_INFORMATION", 203),
    ("NO_CONTENT", 204),
    ("RESET_CONTENT", 205),
    ("PARTIAL_CONTENT", 206),
    ("MOVED_PERMANENTLY", 301),
    ("FOUND", 302),
    ("SEE_OTHER", 303),
    ("NOT_MODIFIED", 304),
    ("TEMPORARY_REDIRECT", 307),
    ("PERMANENT_REDIRECT", 308),
    ("BAD_REQUEST", 400),
    ("UNAUTHORIZED", 401),
    ("PAYMENT_REQUIRED", 402),
    ("FORBIDDEN", 403),
    ("NOT_FOUND", 404),
    ("METHOD_NOT_ALLOWED", 405),
    ("NOT_ACCEPTABLE", 406),
    ("PROXY_AUTHENTICATION_REQUIRED", 407),
    ("REQUEST_TIMEOUT", 408),
    ("CONFLICT", 409),
    ("GONE", 410),
    ("LENGTH_REQUIRED", 411),
    ("PRECONDITION_FAILED", 412),
    ("PAYLOAD_TOO_LARGE", 413),
    ("CONTENT_TOO_LARGE", 413),
    ("URI_TOO_LONG", 414),
    ("UNSUPPORTED_MEDIA_TYPE", 415),
    ("RANGE_NOT_SATISFIABLE", 416),
    ("EXPECTATION_FAILED", 417),
    ("IM_A_TEAPOT", 418),
    ("MISDIRECTED_REQUEST", 421),
    ("UNPROCESSABLE_ENTITY", 422),
    ("UNPROCESSABLE_CONTENT", 422),
    ("LOCKED", 423),
    ("FAILED_DEPENDENCY", 424),
    ("TOO_EARLY", 425),
    ("UPGRADE_REQUIRED", 426),
    ("PRECONDITION_REQUIRED", 428),
    ("TOO_MANY_REQUESTS", 429),
    ("REQUEST_HEADER_FIELDS_TOO_LARGE", 431),
    ("UNAVAILABLE_FOR_LEGAL_REASONS", 451),
    ("INTERNAL_SERVER_ERROR", 500),
    ("NOT_IMPLEMENTED", 501),
    ("BAD_GATEWAY", 502),
    ("SERVICE_UNAVAILABLE", 503),
    ("GATEWAY_TIMEOUT", 504),
    ("HTTP_VERSION_NOT_SUPPORTED", 505),
    ("VARIANT_ALSO_NEGOTIATES", 506),
    ("INSUFFICIENT_STORAGE", 507),
    ("LOOP_DETECTED", 508),
    ("NOT_EXTENDED", 510),
    ("NETWORK_AUTHENTICATION_REQUIRED", 511),
];

/// Statuses of the 400s that may go away by themselves.
const PASSING_4XX: [u16; 3] = [408, 425, 429];

/// Whether a status is a client error that stays.
pub(crate) fn is_permanent_4xx(code: u16) -> bool {
    (400..=499).contains(&code) && !PASSING_4XX.contains(&code)
}

/// How many client errors that stay are among these statuses.
pub(crate) fn permanent_4xx(codes: &[(u16, u16)]) -> usize {
    (400..=499u16)
        .filter(|code| is_permanent_4xx(*code))
        .filter(|code| codes.iter().any(|(from, to)| from <= code && code <= to))
        .count()
}

/// The statuses that a table lists, as ranges with both ends in them.
pub(crate) fn ranges(listed: &[[u16; 2]]) -> impl Iterator<Item = (u16, u16)> {
    listed.iter().map(|[from, to]| (*from, *to))
}

/// Whether 429 or 503 is among these statuses: the server says that it has too much to do.
pub(crate) fn is_overload(codes: &[(u16, u16)]) -> bool {
    [429, 503].iter().any(|code| codes.iter().any(|(from, to)| from <= code && code <= to))
}

/// The status that a path names: `StatusCode::TOO_MANY_REQUESTS`, `Status::TooManyRequests`.
pub(crate) fn status_named(path: &Path) -> Option<u16> {
    let [.., around, last] = path.segments.as_slice() else { return None };
    // a constant of that name elsewhere is no status: its type's name must say so
    if !around.to_ascii_lowercase().contains("status") {
        return None;
    }
    let name = crate::knowledge::parts(last).join("_").to_ascii_uppercase();
    NAMES.iter().find(|(it, _)| *it == name).map(|(_, code)| *code)
}

/// The status that an expression is.
pub(crate) fn status_of(cx: &Context<'_>, id: ExprId) -> Option<u16> {
    match &cx.body.expr(id).kind {
        ExprKind::Lit(Lit::Int(code, _)) => {
            u16::try_from(*code).ok().filter(|code| (100..600).contains(code))
        }
        ExprKind::Path(path) => status_named(path).or_else(|| {
            let Target::Item(item) = cx.krate.path(cx.at, &path.segments) else { return None };
            // a constant that names itself would never end
            let inner = cx.inside(item).filter(|_| item != cx.at)?;
            status_of(&inner, inner.body.root)
        }),
        ExprKind::Method(call)
            if call.args.is_empty() && matches!(call.name.as_str(), "as_u16" | "into" | "clone") =>
        {
            status_of(cx, call.receiver)
        }
        ExprKind::Ref(inner) | ExprKind::Cast(inner, _) => status_of(cx, *inner),
        ExprKind::Call(_, args) => {
            args.first().filter(|_| args.len() == 1).and_then(|arg| status_of(cx, *arg))
        }
        _ => None,
    }
}
