//! Names of the language that need no import. Nothing here is knowledge of a crate that a program chooses.

/// The full path of a prelude type, trait or function. `Ok`, `Err`, `Some` and `None` are not among them: everybody knows them by name.
pub(super) fn prelude_path(name: &str) -> Option<[&'static str; 3]> {
    let path = match name {
        "Box" => ["std", "boxed", "Box"],
        "Option" => ["std", "option", "Option"],
        "Result" => ["std", "result", "Result"],
        "String" => ["std", "string", "String"],
        "ToString" => ["std", "string", "ToString"],
        "Vec" => ["std", "vec", "Vec"],
        "ToOwned" => ["std", "borrow", "ToOwned"],
        "Clone" => ["std", "clone", "Clone"],
        "Default" => ["std", "default", "Default"],
        "From" => ["std", "convert", "From"],
        "Into" => ["std", "convert", "Into"],
        "TryFrom" => ["std", "convert", "TryFrom"],
        "TryInto" => ["std", "convert", "TryInto"],
        "AsRef" => ["std", "convert", "AsRef"],
        "AsMut" => ["std", "convert", "AsMut"],
        "Iterator" => ["std", "iter", "Iterator"],
        "IntoIterator" => ["std", "iter", "IntoIterator"],
        "FromIterator" => ["std", "iter", "FromIterator"],
        "Extend" => ["std", "iter", "Extend"],
        "Ord" => ["std", "cmp", "Ord"],
        "PartialOrd" => ["std", "cmp", "PartialOrd"],
        "Eq" => ["std", "cmp", "Eq"],
        "PartialEq" => ["std", "cmp", "PartialEq"],
        "Drop" => ["std", "ops", "Drop"],
        "drop" => ["std", "mem", "drop"],
        _ => return None,
    };
    Some(path)
}

/// `u32`, `str` and the like.
pub(super) fn is_primitive(name: &str) -> bool {
    number_type(name).is_some() || matches!(name, "bool" | "char" | "str")
}

/// The name of a number type, as a word that lives as long as the program.
pub(super) fn number_type(name: &str) -> Option<&'static str> {
    const NUMBERS: [&str; 14] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    ];
    NUMBERS.into_iter().find(|number| *number == name)
}

/// The crates that come with the compiler.
pub(super) fn is_standard(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc" | "proc_macro")
}

/// Traits that say nothing about what a value does when it is called.
pub(super) fn is_marker(name: &str) -> bool {
    matches!(
        name,
        "Send"
            | "Sync"
            | "Unpin"
            | "Sized"
            | "Copy"
            | "Clone"
            | "Debug"
            | "Display"
            | "Eq"
            | "PartialEq"
            | "Hash"
    )
}

/// Methods of std's collections, iterators, options, results and strings. A lone method of such a name in a crate is no evidence of being meant.
pub(super) fn is_common_method(name: &str) -> bool {
    COMMON_METHODS.binary_search(&name).is_ok()
}

/// Sorted, for the search.
const COMMON_METHODS: [&str; 217] = [
    "abs",
    "add",
    "all",
    "and",
    "and_then",
    "any",
    "append",
    "as_bytes",
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_ref",
    "as_slice",
    "as_str",
    "back",
    "binary_search",
    "borrow",
    "borrow_mut",
    "by_ref",
    "bytes",
    "capacity",
    "chain",
    "chars",
    "checked_add",
    "checked_mul",
    "checked_sub",
    "chunks",
    "clear",
    "clone",
    "cloned",
    "cmp",
    "collect",
    "compare_exchange",
    "concat",
    "contains",
    "contains_key",
    "copied",
    "count",
    "cycle",
    "dedup",
    "default",
    "deref",
    "deref_mut",
    "div",
    "drain",
    "drop",
    "elapsed",
    "ends_with",
    "entry",
    "enumerate",
    "eq",
    "err",
    "expect",
    "expect_err",
    "extend",
    "fetch_add",
    "fetch_sub",
    "fill",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "first",
    "flat_map",
    "flatten",
    "flush",
    "fmt",
    "fold",
    "for_each",
    "from",
    "front",
    "fuse",
    "ge",
    "get",
    "get_mut",
    "get_or_insert",
    "get_or_insert_with",
    "gt",
    "hash",
    "index",
    "insert",
    "inspect",
    "into",
    "into_iter",
    "is_empty",
    "is_err",
    "is_none",
    "is_none_or",
    "is_ok",
    "is_ok_and",
    "is_some",
    "is_some_and",
    "iter",
    "iter_mut",
    "join",
    "keys",
    "last",
    "le",
    "len",
    "lines",
    "load",
    "lock",
    "lt",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "matches",
    "max",
    "max_by",
    "max_by_key",
    "min",
    "min_by",
    "min_by_key",
    "mul",
    "ne",
    "neg",
    "next",
    "not",
    "notify_all",
    "notify_one",
    "nth",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "parse",
    "partial_cmp",
    "partition",
    "peek",
    "peekable",
    "poll",
    "pop",
    "pop_back",
    "pop_front",
    "position",
    "pow",
    "product",
    "push",
    "push_back",
    "push_front",
    "range",
    "read",
    "read_exact",
    "read_to_end",
    "read_to_string",
    "recv",
    "rem",
    "remove",
    "repeat",
    "replace",
    "reserve",
    "resize",
    "retain",
    "rev",
    "reverse",
    "saturating_add",
    "saturating_mul",
    "saturating_sub",
    "scan",
    "send",
    "set",
    "skip",
    "skip_while",
    "sort",
    "sort_by",
    "sort_by_key",
    "sort_unstable",
    "split",
    "split_at",
    "split_off",
    "split_once",
    "starts_with",
    "step_by",
    "store",
    "strip_prefix",
    "strip_suffix",
    "sub",
    "sum",
    "swap",
    "take",
    "take_while",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
    "to_vec",
    "transpose",
    "trim",
    "truncate",
    "try_fold",
    "try_for_each",
    "try_from",
    "try_into",
    "try_lock",
    "try_recv",
    "try_send",
    "type_id",
    "unwrap",
    "unwrap_err",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "values",
    "values_mut",
    "wait",
    "wake",
    "windows",
    "with",
    "with_capacity",
    "wrapping_add",
    "wrapping_mul",
    "write",
    "write_all",
    "xor",
    "zip",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_methods_are_sorted_as_their_search_needs() {
        assert!(COMMON_METHODS.is_sorted());
        assert!(is_common_method("push") && is_common_method("zip") && is_common_method("all"));
        assert!(!is_common_method("connect"));
    }
}
