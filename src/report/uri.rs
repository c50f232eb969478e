//! Paths as URIs. Two encodings, because two readers compare them: cargo's own (what its package ids have), and the strictest one, which
//! every reader of SARIF takes.

use std::fmt::Write as _;

/// `file:///…` of an absolute path, encoded as cargo encodes it: ids made of it are compared with cargo's by their letters.
pub fn file_url(path: &str) -> String {
    let kept = |byte: u8| byte.is_ascii_graphic() && !b"\"<>`#?{}%\\".contains(&byte);
    // A path that begins with a drive's letter has no slash of its own.
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", encode(path, kept))
}

/// A path as a relative URI. Everything but letters, digits and `-._~` is encoded, so that no part of it is taken for a scheme or a query.
pub(super) fn relative_uri(path: &str) -> String {
    encode(path, |byte| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte))
}

fn encode(path: &str, kept: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if kept(byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_path_is_taken_for_syntax() {
        assert_eq!(relative_uri("src/a b:c?d#e%20é.rs"), "src/a%20b%3Ac%3Fd%23e%2520%C3%A9.rs");
        assert_eq!(file_url("/home/me/a b@1/é"), "file:///home/me/a%20b@1/%C3%A9");
        assert_eq!(file_url("C:/a"), "file:///C:/a");
    }
}
