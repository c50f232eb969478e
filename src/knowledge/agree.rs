//! What several entries of one name say together. Where the receiver or the module is unknown, only what all of them say may be believed.

use super::entry::{LocalKind, Role};

/// The role that all of them share, without the details in which they differ; `None` where they say different things.
pub(crate) fn agreed<'a>(roles: impl IntoIterator<Item = &'a Role>) -> Option<Role> {
    let mut roles = roles.into_iter();
    let first = roles.next()?.clone();
    roles.try_fold(first, both)
}

fn both(one: Role, other: &Role) -> Option<Role> {
    if one == *other {
        return Some(one);
    }
    match (one, other) {
        // The tables name the common library first; its argument and unit stand for the name.
        (
            Role::Wait { arg, unit, blocking, event },
            Role::Wait { blocking: other_blocking, event: other_event, .. },
        ) => Some(Role::Wait {
            arg,
            unit,
            blocking: blocking && *other_blocking,
            event: event || *other_event,
        }),
        (Role::Later { arg, unit }, Role::Later { .. }) => Some(Role::Later { arg, unit }),
        (
            Role::Remote {
                method,
                idempotent,
                establishes,
                blocking,
                raises,
                waits,
                asks,
                receives,
                refuses,
            },
            Role::Remote {
                method: other_method,
                idempotent: other_idempotent,
                establishes: other_establishes,
                blocking: other_blocking,
                raises: other_raises,
                waits: other_waits,
                asks: other_asks,
                receives: other_receives,
                refuses: other_refuses,
            },
        ) => Some(Role::Remote {
            method: method.filter(|method| Some(method) == other_method.as_ref()),
            idempotent: idempotent.filter(|idempotent| Some(idempotent) == other_idempotent.as_ref()),
            establishes: establishes && *other_establishes,
            blocking: blocking && *other_blocking,
            raises: raises && *other_raises,
            // a wait that nobody sees is likelier than none
            waits: waits || *other_waits,
            asks: asks && *other_asks,
            receives: receives && *other_receives,
            refuses: refuses && *other_refuses,
        }),
        (Role::Local { .. }, Role::Local { .. }) => Some(Role::Local { kind: LocalKind::Memory }),
        (Role::Predicate { statuses, transient }, Role::Predicate { statuses: others, transient: other }) => {
            Some(Role::Predicate {
                statuses: if statuses == *others { statuses } else { Vec::new() },
                transient: transient.filter(|transient| Some(transient) == other.as_ref()),
            })
        }
        _ => None,
    }
}
