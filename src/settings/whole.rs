//! Files that are whole or not there: written beside their place and moved to it. Whoever is stopped half-way leaves what was there before.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file that is being written beside its place; gone again if it does not get there.
#[derive(Debug)]
pub struct Draft {
    // closed before its name is taken away
    file: File,
    temporary: Temporary,
    target: PathBuf,
}

/// The name that a draft has until it is whole.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Gone already where it was moved; else whoever wrote it has failed, and says why.
        let _ = fs::remove_file(&self.0);
    }
}

impl Draft {
    /// Begins one. A link stays a link: what it leads to is meant.
    pub fn beside(path: &Path) -> io::Result<Self> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(name);
        // `create_new`: what somebody else has under this name is not ours to take away
        let file = File::create_new(&temporary)?;
        Ok(Self { file, temporary: Temporary(temporary), target })
    }

    /// Gives it the permissions that the file in its place has.
    pub fn permissions(&self, permissions: fs::Permissions) -> io::Result<()> {
        fs::set_permissions(&self.temporary.0, permissions)
    }

    /// Puts it in the place of what is there.
    pub fn replace(self) -> io::Result<()> {
        let Self { file, temporary, target } = self;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary.0, target)
    }

    /// Puts it where nothing is yet; an error where something is.
    pub fn place(self) -> io::Result<()> {
        let Self { file, temporary, target } = self;
        file.sync_all()?;
        drop(file);
        // Unlike a rename, a link does not replace what is there.
        match fs::hard_link(&temporary.0, &target) {
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::PermissionDenied) => {
                without_links(&temporary.0, &target)
            }
            linked => linked,
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// For file systems without links.
fn without_links(temporary: &Path, target: &Path) -> io::Result<()> {
    if target.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    fs::rename(temporary, target)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_until_the_new_is_whole() {
        let folder = std::env::temp_dir().join(format!("retry-lint-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("file");
        let draft = |text: &str| {
            let mut draft = Draft::beside(&file).unwrap();
            draft.write_all(text.as_bytes()).unwrap();
            draft
        };
        draft("one").place().unwrap();
        drop(draft("two"));
        assert_eq!(draft("three").place().unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&file).unwrap(), "one");
        draft("four").replace().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "four");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a draft is left");
        fs::remove_dir_all(&folder).unwrap();
    }
}
