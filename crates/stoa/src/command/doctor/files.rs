//! How many files may be open: every connection is one.

use super::Finding;
use crate::command::serve;

const SUBJECT: &str = "files";

/// Below this, a few hundred clients are too many.
const FEW: u64 = 4_096;

pub(super) fn check() -> Finding {
    let (now, most) = serve::open_files();
    let detail = format!("{most} may be open at once ({now} until the service asks for more)");
    if most < FEW {
        let advice = "raise the hard limit, such as LimitNOFILE=65536 of systemd";
        return Finding::warn(SUBJECT, format!("only {detail}; {advice}"));
    }
    Finding::ok(SUBJECT, detail)
}
