//! Ways to leave a running service without space.

use crate::harness::Home;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use std::{fs, io::Write as _, path::PathBuf, process::Command};

/// Space for a store and its journals, and little more.
const SMALL: &str = "size=96m";

/// Beyond this no file grows: less than any journal has.
const FEW_BYTES: u64 = 4_096;

/// A folder for data whose space can be taken away and given back.
pub(crate) struct Squeeze {
    pub(crate) data: PathBuf,
    kind: Kind,
}

enum Kind {
    /// A small file system, filled to the last byte.
    FileSystem { mount: PathBuf },
    /// The limit of file sizes of a process.
    FileSize,
}

impl Squeeze {
    /// All that this machine lets us do: mounting is for root alone.
    pub(crate) fn all(home: &Home) -> Vec<Self> {
        let mount = home.path("small");
        fs::create_dir(&mount).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", SMALL, "tmpfs"])
            .arg(&mount)
            .status();
        let mut all = vec![Self {
            data: home.path("limited"),
            kind: Kind::FileSize,
        }];
        if mounted.is_ok_and(|status| status.success()) {
            all.push(Self {
                data: mount.join("data"),
                kind: Kind::FileSystem { mount },
            });
        }
        all
    }

    /// Takes the space away.
    pub(crate) fn tighten(&self, process: u32) {
        match &self.kind {
            Kind::FileSize => limit(process, Some(FEW_BYTES)),
            Kind::FileSystem { mount } => {
                let mut filler = fs::File::create(mount.join("filler")).unwrap();
                for size in [1 << 20, 4_096, 1] {
                    while filler.write_all(&vec![0; size]).is_ok() {}
                }
            }
        }
    }

    /// Gives it back.
    pub(crate) fn loosen(&self, process: u32) {
        match &self.kind {
            Kind::FileSize => limit(process, None),
            Kind::FileSystem { mount } => fs::remove_file(mount.join("filler")).unwrap(),
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

impl Drop for Squeeze {
    fn drop(&mut self) {
        if let Kind::FileSystem { mount } = &self.kind {
            // The service may hold it a moment longer than its end takes.
            let unmounted = Command::new("umount").arg("-l").arg(mount).status();
            assert!(unmounted.is_ok_and(|status| status.success()));
        }
    }
}
