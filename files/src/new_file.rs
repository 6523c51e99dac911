//! Atomic new files: a file gets its name only when it is complete.

use std::{
    error::Error,
    ffi::OsStr,
    fmt,
    fs::{self, File, Metadata, Permissions},
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, ErrorKind, Write},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{
            ffi::OsStrExt,
            fs::{MetadataExt, PermissionsExt, fchown},
        },
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, linkat, openat, renameat, unlinkat},
    io::Errno,
};

use crate::{
    descriptor::descriptor_at,
    signals::{OnSignal, hold},
};

/// An error that prevents a new file.
#[derive(Debug)]
#[non_exhaustive]
pub enum CreateError {
    /// A file of this name exists and may not be replaced.
    Exists,
    /// The path leads to a directory, a device, a pipe or a socket.
    NotRegular,
    /// The path leads to a file that this program has open, as /dev/stdout and /dev/fd/3 do. A new
    /// file in its place would not be the open one.
    Open {
        /// The descriptor of the open file.
        descriptor: u32,
    },
    /// The path is a symbolic link to a file that does not exist. Neither creating the target nor
    /// replacing the link is what the user asked for.
    DanglingLink {
        /// The target of the link.
        target: PathBuf,
    },
    /// Another file is mounted there, as `docker run -v FILE:FILE` does. The system does not allow its replacement.
    MountPoint,
    /// The system reports an error.
    Io(io::Error),
}

impl fmt::Display for CreateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists => f.write_str("the file exists"),
            Self::NotRegular => f.write_str("not a regular file"),
            Self::Open { descriptor } => {
                write!(f, "the file is open already, as descriptor {descriptor}")
            }
            Self::DanglingLink { target } => {
                write!(f, "a symbolic link to '{}', which does not exist", target.display())
            }
            Self::MountPoint => f.write_str(
                "another file is mounted there, which cannot be replaced; write beside it and copy",
            ),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl Error for CreateError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its message is this error's own.
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for CreateError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Options of a new file.
#[derive(Clone, Copy, Debug)]
pub struct NewFileOptions {
    mode: u32,
    replace: bool,
}

impl Default for NewFileOptions {
    fn default() -> Self {
        Self { mode: 0o666, replace: false }
    }
}

impl NewFileOptions {
    /// Sets the permission bits of a file that replaces none, less the umask. The default is 0666.
    #[must_use]
    pub fn mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    /// Sets whether a regular file of the same name is replaced. The default is to refuse.
    #[must_use]
    pub fn replace(self, replace: bool) -> Self {
        Self { replace, ..self }
    }

    /// Creates a file that gets the name `path` by [`NewFile::commit`]. Each obstacle that can be
    /// known now is an error now.
    ///
    /// A symbolic link is followed to the file it leads to.
    ///
    /// # Errors
    /// If the name is taken, or the file cannot be created in its folder.
    pub fn create(self, path: &Path) -> Result<NewFile, CreateError> {
        self.create_by(unnamed, path)
    }

    /// Creates the file by `unnamed`, or with a temporary name if `unnamed` returns no file.
    fn create_by(
        self,
        unnamed: fn(&OwnedFd, u32) -> Option<File>,
        path: &Path,
    ) -> Result<NewFile, CreateError> {
        let old = self.old(path)?;
        let place = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        if old.is_some() && is_mount_point(&place) {
            return Err(CreateError::MountPoint);
        }
        let (folder, name) = split(&place)?;
        let folder = Arc::new(openat(CWD, folder, FOLDER, Mode::empty()).map_err(io::Error::from)?);
        let mode = if old.is_some() { 0o600 } else { self.mode };
        let (file, temporary) = match unnamed(&folder, mode) {
            Some(file) => (file, None),
            None => {
                let (file, temporary) = Temporary::create(&folder, mode)?;
                (file, Some(temporary))
            }
        };
        let name = Path::new(name).to_owned();
        Ok(NewFile { file, temporary, folder, name, old, replace: self.replace })
    }

    /// The file to be replaced, if there is one.
    fn old(self, path: &Path) -> Result<Option<Metadata>, CreateError> {
        match fs::metadata(path) {
            Ok(old) if !old.is_file() => Err(CreateError::NotRegular),
            Ok(old) => match descriptor_at(path) {
                Some(descriptor) => Err(CreateError::Open { descriptor }),
                None if !self.replace => Err(CreateError::Exists),
                None => Ok(Some(old)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => match fs::read_link(path) {
                Ok(target) => Err(CreateError::DanglingLink { target }),
                Err(_) => Ok(None),
            },
            Err(error) => Err(error.into()),
        }
    }
}

/// A file that gets its name when it is complete. If dropped before, it leaves nothing.
pub struct NewFile {
    file: File,
    /// The temporary name, where the file system has no files without a name.
    temporary: Option<Temporary>,
    folder: Arc<OwnedFd>,
    name: PathBuf,
    old: Option<Metadata>,
    replace: bool,
}

impl fmt::Debug for NewFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewFile").field("name", &self.name).finish_non_exhaustive()
    }
}

impl NewFile {
    /// The options, with their defaults.
    pub fn options() -> NewFileOptions {
        NewFileOptions::default()
    }

    /// Sets the time of the file's last change. A later write changes the time again.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.file.set_modified(time)
    }

    /// Writes the file to the disk, gives it its name, then writes the name to the disk.
    ///
    /// The new file gets the nine permission bits of the file that it replaces, whatever the umask.
    /// It gets the owner and group too, where the system allows. If the group must change, the
    /// group's permissions shrink to the permissions of all others. The set-user-ID, set-group-ID
    /// and sticky bits are never kept, because they grant rights to the old contents. Access
    /// control lists and other extended attributes are not kept.
    ///
    /// # Errors
    /// If the system refuses, or a file that may not be replaced has appeared. Then the new file is
    /// removed and the old file is unchanged, unless the very last step fails.
    pub fn commit(mut self) -> io::Result<()> {
        if let Some(old) = &self.old {
            keep_permissions(&self.file, old)?;
        }
        self.file.sync_all()?;
        match self.temporary.take() {
            None => self.link()?,
            Some(temporary) => self.rename(temporary)?,
        }
        sync_folder(&self.folder)
    }

    /// Names an unnamed file.
    fn link(&self) -> io::Result<()> {
        let file = by_descriptor(&self.file);
        let link = |name: &Path| linkat(CWD, &*file, &self.folder, name, AtFlags::SYMLINK_FOLLOW);
        match link(&self.name) {
            Err(Errno::EXIST) if self.replace => {}
            done => return Ok(done?),
        }
        // No system call replaces a file by a file without a name. The new file gets a temporary
        // name for two calls, and signals are held back meanwhile.
        let temporary = temporary_name();
        let _hold = hold();
        link(temporary.as_ref())?;
        let renamed = renameat(&self.folder, &*temporary, &self.folder, &self.name);
        if renamed.is_err() {
            let _ = unlinkat(&self.folder, &*temporary, AtFlags::empty()); // the first says more
        }
        Ok(renamed?)
    }

    /// Gives the file its final name.
    fn rename(&self, mut temporary: Temporary) -> io::Result<()> {
        let _hold = hold();
        let (folder, name) = (&self.folder, &*temporary.name);
        if self.replace {
            renameat(folder, name, folder, &self.name)?;
        } else if !rename_new(folder, name, &self.name)? {
            linkat(folder, name, folder, &self.name, AtFlags::empty())?;
            unlinkat(folder, name, AtFlags::empty())?;
        }
        temporary.is_placed = true;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Split at the last slash.
fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    let bytes = path.as_os_str().as_bytes();
    let at = bytes.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let (folder, name) = bytes.split_at(at);
    match name {
        b"" if !folder.is_empty() => Err(io::Error::new(ErrorKind::NotFound, "no such folder")),
        b"" | b"." | b".." => Err(Errno::NOENT.into()),
        _ if folder.is_empty() => Ok((Path::new("."), OsStr::from_bytes(name))),
        _ => Ok((Path::new(OsStr::from_bytes(folder)), OsStr::from_bytes(name))),
    }
}

/// Held open, so that the file stays in its folder even if the folder is renamed.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Returns true if a file is mounted at this path, and `false` where the system does not say (Linux
/// before 5.8).
#[cfg(target_os = "linux")]
fn is_mount_point(path: &Path) -> bool {
    use rustix::fs::{StatxAttributes, StatxFlags, statx};
    statx(CWD, path, AtFlags::empty(), StatxFlags::empty())
        .is_ok_and(|file| file.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(not(target_os = "linux"))]
fn is_mount_point(_path: &Path) -> bool {
    false
}

/// A file without a name, which the system removes however the program ends. `None` on file systems
/// without such files (most network file systems), or if no path leads to the file.
#[cfg(target_os = "linux")]
fn unnamed(folder: &OwnedFd, mode: u32) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(openat(folder, ".", flags, Mode::from(mode)).ok()?);
    let (there, here) = (fs::metadata(by_descriptor(&file)).ok()?, file.metadata().ok()?);
    ((there.dev(), there.ino()) == (here.dev(), here.ino())).then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_folder: &OwnedFd, _mode: u32) -> Option<File> {
    None
}

/// The path of an open file in /proc, independent of its name.
fn by_descriptor(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// The temporary name of a file. The file is removed if this is dropped before the rename, or by a
/// handled signal.
struct Temporary {
    name: String,
    folder: Arc<OwnedFd>,
    is_placed: bool,
    _on_signal: OnSignal,
}

impl Temporary {
    fn create(folder: &Arc<OwnedFd>, mode: u32) -> io::Result<(File, Self)> {
        let name = temporary_name();
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let mut hold = hold();
        let file = openat(folder, &*name, flags, Mode::from(mode))?;
        let (of, called) = (Arc::clone(folder), name.clone());
        let on_signal = hold.on_signal(move || _ = unlinkat(&of, &*called, AtFlags::empty()));
        let folder = Arc::clone(folder);
        Ok((file.into(), Self { name, folder, is_placed: false, _on_signal: on_signal }))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_placed {
            let _ = unlinkat(&self.folder, &*self.name, AtFlags::empty()); // an error has no receiver here
        }
    }
}

/// A random name. Exclusive creation makes sure that no other file has it.
fn temporary_name() -> String {
    format!(".arcfour-{:016x}", RandomState::new().build_hasher().finish())
}

/// Renames unless the new name is taken; `false` where the system cannot do so in one step.
#[cfg(target_os = "linux")]
fn rename_new(folder: &OwnedFd, name: &str, new: &Path) -> io::Result<bool> {
    use rustix::fs::{RenameFlags, renameat_with};
    match renameat_with(folder, name, folder, new, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_new(_folder: &OwnedFd, _name: &str, _new: &Path) -> io::Result<bool> {
    Ok(false)
}

/// The owner comes first, since changing it may take permissions away.
fn keep_permissions(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o777;
    if new.uid() != old.uid() {
        let _ = fchown(file, Some(old.uid()), None); // ordinary users may not
    }
    if new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
        mode = mode & 0o707 | (mode & 0o007) << 3 & mode;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

/// A folder that may not be read cannot be synchronised. The system writes it later.
fn sync_folder(folder: &OwnedFd) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat(folder, ".", flags, Mode::empty()) {
        Ok(folder) => match rustix::fs::fsync(&folder) {
            Err(Errno::INVAL | Errno::NOTSUP | Errno::ROFS) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        },
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works as on a file system without unnamed files.
    #[test]
    fn with_a_temporary_name() {
        let folder = tempfile::tempdir().unwrap();
        let count = || fs::read_dir(folder.path()).unwrap().count();
        let path = folder.path().join("out");
        let create = |replace: bool| {
            let options = NewFile::options().replace(replace).mode(0o600); // the same under any umask
            let mut file = options.create_by(|_, _| None, &path).unwrap();
            file.write_all(b"new").unwrap();
            file
        };
        drop(create(false));
        assert_eq!(count(), 0, "a file that was dropped");
        let (first, second) = (create(false), create(false));
        assert_eq!((count(), path.exists()), (2, false));
        first.commit().unwrap();
        assert_eq!(second.commit().unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!((count(), fs::metadata(&path).unwrap().mode() & 0o777), (1, 0o600));

        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        create(true).commit().unwrap();
        assert_eq!((count(), fs::metadata(&path).unwrap().mode() & 0o777), (1, 0o666));
    }
}
