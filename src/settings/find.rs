//! Which configuration holds in a folder: the nearest one upwards, alone. The search ends at the root of the repository.
//! Two in one folder are an error, because either could be the one that is meant; nothing is merged.

use super::config::{Config, Source, read};
use super::error::ConfigError;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// The name of a configuration's own file.
pub const FILE_NAME: &str = "retry-lint.toml";
const MANIFEST: &str = "Cargo.toml";
/// The table in a manifest's metadata.
const TABLE: &str = "retry-lint";
/// The tables of a manifest that have metadata.
const HOLDERS: [&str; 2] = ["package", "workspace"];

/// A file above this size is no configuration that a person keeps.
const LARGEST: u64 = 16 << 20;

/// Finds configurations, and reads each once.
#[derive(Debug, Default)]
pub struct Finder {
    folders: HashMap<PathBuf, Option<Found>>,
}

#[derive(Clone, Debug)]
struct Found {
    config: Arc<Config>,
    /// A package's metadata speaks of that package, not of those in folders below.
    package_only: bool,
}

impl Finder {
    /// The configuration that holds in a folder, whose path is absolute.
    pub fn nearest(&mut self, folder: &Path) -> Result<Option<Arc<Config>>, ConfigError> {
        for above in folder.ancestors() {
            if let Some(found) = self.in_folder(above)?
                && (above == folder || !found.package_only)
            {
                return Ok(Some(found.config));
            }
            if above.join(".git").exists() {
                break;
            }
        }
        Ok(None)
    }

    /// The configuration that stands in this very folder, whose path is absolute.
    pub fn beside(&mut self, folder: &Path) -> Result<Option<Arc<Config>>, ConfigError> {
        Ok(self.in_folder(folder)?.map(|found| found.config))
    }

    /// The configuration in this file, wherever it lies.
    pub fn named(file: &Path) -> Result<Arc<Config>, ConfigError> {
        let shown = file.display().to_string();
        let folder = match file.canonicalize() {
            Ok(real) => real.parent().map(Path::to_owned).unwrap_or_default(),
            Err(error) => return Err(unreadable(&shown, &error)),
        };
        let text = read_text(file, &shown)?;
        if file.file_name().is_none_or(|name| name != MANIFEST) {
            return whole_file(Source { shown, folder, text }).map(Arc::new);
        }
        let found = in_manifest(&Source { shown: shown.clone(), folder, text })?;
        one_of(found).map(|found| found.map(|found| found.config))?.ok_or_else(|| {
            ConfigError::whole(&shown, "has no `[package.metadata.retry-lint]`")
                .help("add one, or name a file `retry-lint.toml`")
        })
    }

    fn in_folder(&mut self, folder: &Path) -> Result<Option<Found>, ConfigError> {
        if let Some(known) = self.folders.get(folder) {
            return Ok(known.clone());
        }
        let found = look_in(folder)?;
        self.folders.insert(folder.to_owned(), found.clone());
        Ok(found)
    }
}

/// A place in which a configuration can stand, and the one that stands there.
type Standing = (String, Found);

fn look_in(folder: &Path) -> Result<Option<Found>, ConfigError> {
    let source = |name: &str| -> Result<Option<Source>, ConfigError> {
        let file = folder.join(name);
        // A link that leads nowhere was meant to be a configuration.
        if file.symlink_metadata().is_err() {
            return Ok(None);
        }
        let shown = shown(&file);
        let text = match read_text(&file, &shown) {
            // That a manifest cannot be read, cargo tells its owner.
            Err(_) if name == MANIFEST => return Ok(None),
            text => text?,
        };
        Ok(Some(Source { shown, folder: folder.to_owned(), text }))
    };
    let mut found = Vec::new();
    if let Some(source) = source(FILE_NAME)? {
        let name = format!("`{}`", source.shown);
        found.push((name, Found { config: Arc::new(whole_file(source)?), package_only: false }));
    }
    if let Some(source) = source(MANIFEST)? {
        found.extend(in_manifest(&source)?);
    }
    one_of(found)
}

fn one_of(found: Vec<Standing>) -> Result<Option<Found>, ConfigError> {
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (None, _) => Ok(None),
        (Some((_, found)), None) => Ok(Some(found)),
        (Some((first, found)), Some((second, _))) => {
            let what = format!("two configurations in one folder: {first} and {second}");
            Err(ConfigError::whole(&found.config.source.shown, what)
                .help("keep one of them: they are not merged"))
        }
    }
}

fn whole_file(source: Source) -> Result<Config, ConfigError> {
    let text = source.text.clone();
    let table = DeTable::parse(&text).map_err(|error| syntax(&source, &error))?;
    read(source, table.get_ref())
}

/// The configurations in a manifest's metadata.
fn in_manifest(source: &Source) -> Result<Vec<Standing>, ConfigError> {
    // Nearly every manifest is done with here.
    if !source.text.contains(TABLE) || !source.text.contains("metadata") {
        return Ok(Vec::new());
    }
    let table = match DeTable::parse(&source.text) {
        Ok(table) => table,
        // What it says of other things, cargo tells its owner; what it says to us must not be passed over.
        Err(error) if source.text.contains("metadata.retry-lint") => return Err(syntax(source, &error)),
        Err(_) => return Ok(Vec::new()),
    };
    let mut found = Vec::new();
    for holder in HOLDERS {
        let inner =
            |value: &DeValue, key: &str| value.as_table().is_some_and(|table| table.contains_key(key));
        let metadata = table.get_ref().get(holder).map(toml::Spanned::get_ref);
        let metadata = metadata.and_then(DeValue::as_table).and_then(|holder| holder.get("metadata"));
        let Some(metadata) = metadata.map(toml::Spanned::get_ref).filter(|it| inner(it, TABLE)) else {
            continue;
        };
        let Some(value) = metadata.as_table().and_then(|metadata| metadata.get(TABLE)) else { continue };
        let name = format!("{holder}.metadata.{TABLE}");
        let own = source.table(&name, "settings", value)?;
        let config = Arc::new(read(source.clone(), own)?);
        let package_only = holder == "package";
        found.push((format!("`[{name}]` in `{}`", source.shown), Found { config, package_only }));
    }
    Ok(found)
}

fn syntax(source: &Source, error: &toml::de::Error) -> ConfigError {
    let message = error.message().to_owned();
    match error.span() {
        Some(at) => source.error(&at, message),
        None => ConfigError::whole(&source.shown, message),
    }
}

fn read_text(file: &Path, shown: &str) -> Result<String, ConfigError> {
    let about = file.metadata().map_err(|error| unreadable(shown, &error))?;
    // Not a pipe: reading one would wait for ever.
    if !about.is_file() || about.len() > LARGEST {
        return Err(ConfigError::whole(shown, "is no configuration: it is no file, or too large"));
    }
    std::fs::read_to_string(file).map_err(|error| unreadable(shown, &error))
}

fn unreadable(shown: &str, error: &std::io::Error) -> ConfigError {
    ConfigError::whole(shown, format!("cannot be read: {error}"))
}

/// An absolute path as it is shown: from the current folder on, unless they have nothing in common.
pub fn shown(file: &Path) -> String {
    let absolute = || file.display().to_string();
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let text = here.map_or_else(|_| absolute(), |here| from(&here, file).unwrap_or_else(absolute));
    text.replace('\\', "/")
}

fn from(here: &Path, file: &Path) -> Option<String> {
    let common = here.ancestors().enumerate().find(|(_, above)| file.starts_with(above))?;
    let (up, above) = common;
    above.parent()?;
    let below = file.strip_prefix(above).ok()?;
    Some(format!("{}{}", "../".repeat(up), below.display()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn paths_are_shown_from_the_current_folder_on() {
        let told = |file| from(Path::new("/a/b"), Path::new(file));
        assert_eq!(told("/a/b/c/d.toml").unwrap(), "c/d.toml");
        assert_eq!(told("/a/d.toml").unwrap(), "../d.toml");
        assert_eq!(told("/a/c/d.toml").unwrap(), "../c/d.toml");
        assert_eq!(told("/a/b").unwrap(), "");
        assert_eq!(told("/x/d.toml"), None);
    }
}
