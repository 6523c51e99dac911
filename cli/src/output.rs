//! The output: a stream, or a new file that gets its name when it is complete.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{IsTerminal, Write, stdout},
    os::{fd::AsFd, unix::fs::PermissionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
};

use signal_hook::{consts, iterator::Signals, low_level::emulate_default_handler};
use tempfile::NamedTempFile;

use crate::{failure::Failure, stream::Sink};

/// The temporary file to be removed if a signal ends the program.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// An open output and its name for messages.
pub struct Output {
    to: To,
    name: String,
}

enum To {
    Stream(File),
    NewFile { temporary: NamedTempFile, path: PathBuf, force: bool },
}

impl Output {
    /// Standard output.
    ///
    /// # Errors
    /// If there is none.
    pub fn stdout() -> Result<Self, Failure> {
        let name = "standard output".to_owned();
        match stdout().as_fd().try_clone_to_owned() {
            Ok(fd) => Ok(Self { to: To::Stream(fd.into()), name }),
            Err(error) => Err(Failure::write(name, &error)),
        }
    }

    /// A file at `path`. It replaces one that is there only by `force`; a device or a pipe is
    /// written to as it is.
    ///
    /// # Errors
    /// If there is something that may not be replaced, or the file cannot be created.
    pub fn create(path: &Path, force: bool) -> Result<Self, Failure> {
        let name = format!("'{}'", path.display());
        let failed = |error| Failure::write(&name, &error);
        let to = match fs::metadata(path) {
            Ok(old) if old.is_file() => {
                if !force {
                    return Err(Failure::Work(format!(
                        "the output {name} exists; choose another, or add --force to replace it"
                    )));
                }
                // Through symbolic links, so that the file they lead to is the one replaced.
                let path = fs::canonicalize(path).map_err(failed)?;
                let temporary = temporary_beside(&path, old.permissions()).map_err(failed)?;
                To::NewFile { temporary, path, force }
            }
            Ok(_) => To::Stream(OpenOptions::new().write(true).open(path).map_err(failed)?),
            Err(_) => {
                let permissions = Permissions::from_mode(0o666); // less the umask
                let temporary = temporary_beside(path, permissions).map_err(failed)?;
                To::NewFile { temporary, path: path.to_owned(), force }
            }
        };
        Ok(Self { to, name })
    }

    /// Whether it is a file that gets its name when it is complete.
    pub fn is_new_file(&self) -> bool {
        matches!(self.to, To::NewFile { .. })
    }

    /// The end of the output: a new file is on the disk, then under its name.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn commit(self) -> Result<(), Failure> {
        let To::NewFile { temporary, path, force } = self.to else { return Ok(()) };
        let failed = |error| Failure::write(&self.name, &error);
        temporary.as_file().sync_all().map_err(failed)?;
        let persisted =
            if force { temporary.persist(&path) } else { temporary.persist_noclobber(&path) };
        persisted.map_err(|error| failed(error.error))?;
        Ok(())
    }
}

impl Sink for Output {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let file = match &mut self.to {
            To::Stream(file) => file,
            To::NewFile { temporary, .. } => temporary.as_file_mut(),
        };
        file.write_all(bytes).map_err(|error| Failure::write(&self.name, &error))
    }

    fn is_terminal(&self) -> bool {
        matches!(&self.to, To::Stream(file) if file.is_terminal())
    }
}

fn temporary_beside(path: &Path, permissions: Permissions) -> std::io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    remove_on_signals()?;
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let temporary = tempfile::Builder::new()
        .prefix(".arcfour-")
        .permissions(permissions)
        .tempfile_in(folder)?;
    *unfinished = Some(temporary.path().to_owned());
    Ok(temporary)
}

/// Lets the signals that end a program remove its temporary file first.
fn remove_on_signals() -> std::io::Result<()> {
    let wanted = [consts::SIGINT, consts::SIGTERM, consts::SIGHUP];
    let ignored = ignored_signals();
    let mut signals =
        Signals::new(wanted.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0))?;
    thread::spawn(move || {
        for signal in signals.forever() {
            // Held to the end, so that no file is created behind it.
            let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(path) = &*unfinished {
                let _ = fs::remove_file(path);
            }
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// The signals this program was started to ignore (`nohup`, a background job), bit n − 1 for
/// signal n: these stay ignored. None where the system does not tell.
fn ignored_signals() -> u64 {
    fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
            u64::from_str_radix(mask.trim(), 16).ok()
        })
        .unwrap_or(0)
}
