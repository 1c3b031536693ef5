//! Ways to leave a running service without space.

use crate::harness::Home;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

/// Beyond this no file grows: less than any journal has.
const FEW_BYTES: u64 = 4_096;

/// A file system in memory, of 96 MB: space for a store and its journals, and
/// little more.
pub(crate) struct SmallDisk {
    pub(crate) path: PathBuf,
}

impl SmallDisk {
    /// Mounts one on a folder; `None` if this machine does not let us, as mounting
    /// is for root alone.
    pub(crate) fn mount(path: &Path) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=96m", "tmpfs"])
            .arg(path)
            .status();
        let path = path.to_owned();
        mounted
            .is_ok_and(|status| status.success())
            .then_some(Self { path })
    }

    /// Fills it to the last byte.
    pub(crate) fn fill(&self) {
        let mut filler = fs::File::create(self.path.join("filler")).unwrap();
        for size in [1 << 20, 4_096, 1] {
            while filler.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Gives the space back.
    pub(crate) fn empty(&self) {
        fs::remove_file(self.path.join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Who used it may hold it a moment longer than its end takes.
        let unmounted = Command::new("umount").arg("-l").arg(&self.path).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}

/// A folder for data whose space can be taken away and given back.
pub(crate) struct Squeeze {
    pub(crate) data: PathBuf,
    kind: Kind,
}

enum Kind {
    FileSystem(SmallDisk),
    /// The limit of file sizes of a process.
    FileSize,
}

impl Squeeze {
    /// All that this machine lets us do.
    pub(crate) fn all(home: &Home) -> Vec<Self> {
        let mount = home.path("small");
        fs::create_dir(&mount).unwrap();
        let mut all = vec![Self {
            data: home.path("limited"),
            kind: Kind::FileSize,
        }];
        all.extend(SmallDisk::mount(&mount).map(|disk| Self {
            data: mount.join("data"),
            kind: Kind::FileSystem(disk),
        }));
        all
    }

    /// Takes the space away.
    pub(crate) fn tighten(&self, process: u32) {
        match &self.kind {
            Kind::FileSize => limit(process, Some(FEW_BYTES)),
            Kind::FileSystem(disk) => disk.fill(),
        }
    }

    /// Gives it back.
    pub(crate) fn loosen(&self, process: u32) {
        match &self.kind {
            Kind::FileSize => limit(process, None),
            Kind::FileSystem(disk) => disk.empty(),
        }
    }
}

fn limit(process: u32, bytes: Option<u64>) {
    let process = Pid::from_raw(i32::try_from(process).unwrap());
    let limit = Rlimit {
        current: bytes,
        maximum: None,
    };
    prlimit(process, Resource::Fsize, limit).unwrap();
}
