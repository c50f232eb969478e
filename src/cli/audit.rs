//! `retry-lint audit`: every site and its policy, also where nothing is wrong.

use super::args::Options;
use super::error::Stop;
use super::fixing::Texts;
use super::output::write_files;
use super::run::run;
use super::settings::{Settings, terminal_columns};
use super::{Status, say, show};
use crate::model::Site;
use crate::report::Audit;
use codespan_reporting::term::termcolor::WriteColor;
use std::sync::Arc;

pub(super) fn audit(
    settings: &Settings,
    options: &Options,
    all: bool,
    out: &mut dyn WriteColor,
) -> Result<Status, Stop> {
    if options.configuring.show_settings {
        return show::show(settings, options, out);
    }
    let looked = run(settings, options, None, &Texts::new())?;
    say::problems(&looked, settings);
    let sites: Vec<Arc<Site>> =
        looked.sites.iter().filter(|site| all || site.kind.is_real()).cloned().collect();
    let audit = Audit { sites: &sites, problems: &looked.problems, summary: looked.summary };
    write_files(&settings.outputs, |out, format| audit.write(out, format, settings.talk.quiet, None))?;
    audit.write(out, settings.format, settings.talk.quiet, terminal_columns())?;
    out.flush()?;
    say::extent(&looked, settings.talk);
    say::coverage(&looked, settings);
    let failed = looked.problems.iter().any(|problem| say::fails(problem, settings));
    Ok(if failed { Status::Failed } else { Status::Clean })
}
