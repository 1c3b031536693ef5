//! What the system says of this process, and which build it is, under the names
//! that Prometheus' own clients use. What cannot be read is left out.

use std::{fmt::Write as _, fs, time::Duration};

/// The system's own clock ticks so often a second in what it tells of processes,
/// on every machine.
const TICKS_PER_SECOND: u64 = 100;

const KIB: u64 = 1024;

/// All of it, as Prometheus text.
pub(super) fn figures() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let mut text = String::new();
    put(
        &mut text,
        "stoa_build_info",
        "gauge",
        "The build that runs; always 1.",
        &format!("{{version=\"{version}\",os=\"{system}\",arch=\"{machine}\"}} 1"),
    );
    let usage = fs::read_to_string("/proc/self/stat").ok();
    let usage = usage.as_deref().and_then(Usage::read);
    let boot = fs::read_to_string("/proc/stat").ok();
    let boot = boot.as_deref().and_then(boot_time);
    let status = fs::read_to_string("/proc/self/status").ok();
    let memory = status.as_deref().and_then(resident_bytes);
    // The listing itself is one of them.
    let files = fs::read_dir("/proc/self/fd").map(|files| files.count().saturating_sub(1));
    let figures = [
        (
            "process_cpu_seconds_total",
            "counter",
            "Processor time that the process has used, in seconds.",
            usage.as_ref().map(|usage| usage.processor.as_secs_f64()),
        ),
        (
            "process_open_fds",
            "gauge",
            "Files and sockets that the process has open.",
            files
                .ok()
                .and_then(|count| u64::try_from(count).ok())
                .map(float),
        ),
        (
            "process_resident_memory_bytes",
            "gauge",
            "Memory of the process that is in use, in bytes.",
            memory.map(float),
        ),
        (
            "process_start_time_seconds",
            "gauge",
            "When the process was started, in seconds since 1970.",
            boot.zip(usage)
                .map(|(boot, usage)| float(boot) + usage.started.as_secs_f64()),
        ),
    ];
    for (name, kind, help, value) in figures {
        if let Some(value) = value {
            put(&mut text, name, kind, help, &format!(" {value}"));
        }
    }
    text
}

fn put(text: &mut String, name: &str, kind: &str, help: &str, sample: &str) {
    let _ = write!(
        text,
        "# HELP {name} {help}\n# TYPE {name} {kind}\n{name}{sample}\n\n"
    );
}

/// Counts of this size are whole numbers in a float, too.
#[expect(clippy::cast_precision_loss, reason = "Prometheus has only floats")]
fn float(count: u64) -> f64 {
    count as f64
}

/// Of `/proc/self/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Usage {
    processor: Duration,
    /// Since the machine was started.
    started: Duration,
}

impl Usage {
    fn read(stat: &str) -> Option<Self> {
        // The program's name may have anything in it, and ends with the last bracket.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        // The third field of the file is the first one here.
        let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Self {
            processor: in_time(ticks(14)?.checked_add(ticks(15)?)?),
            started: in_time(ticks(22)?),
        })
    }
}

fn in_time(ticks: u64) -> Duration {
    Duration::from_millis(ticks.saturating_mul(1_000 / TICKS_PER_SECOND))
}

/// When the machine was started, of `/proc/stat`.
fn boot_time(stat: &str) -> Option<u64> {
    let mut lines = stat.lines();
    lines
        .find_map(|line| line.strip_prefix("btime "))
        .and_then(|seconds| seconds.trim().parse().ok())
}

/// Of `/proc/self/status`.
fn resident_bytes(status: &str) -> Option<u64> {
    let mut lines = status.lines();
    let size = lines.find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = size.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(KIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read_whatever_the_program_is_called() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194560 900 0 0 0 250 150 0 0 20 0 9 0 12345 1 2";
        let usage = Usage::read(stat).unwrap();
        assert_eq!(usage.processor, Duration::from_secs(4));
        assert_eq!(usage.started, Duration::from_millis(123_450));
        assert_eq!(Usage::read("42 (stoa) S 1"), None);
        assert_eq!(
            boot_time("cpu 1 2\nbtime 1700000000\n"),
            Some(1_700_000_000)
        );
        assert_eq!(
            resident_bytes("Name:\tstoa\nVmRSS:\t  12 kB\n"),
            Some(12 * 1024)
        );
        assert_eq!(resident_bytes("VmRSS:\tmuch\n"), None);
    }

    #[test]
    fn this_process_has_every_figure() {
        let text = figures();
        for name in [
            "stoa_build_info{",
            "process_cpu_seconds_total ",
            "process_open_fds ",
            "process_resident_memory_bytes ",
            "process_start_time_seconds ",
        ] {
            assert!(text.lines().any(|line| line.starts_with(name)), "{text}");
        }
    }
}
