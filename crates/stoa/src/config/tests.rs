//! Rules of the configuration, from the sources to what is said about it.

use super::{
    flags::Flags,
    keys::{SECTIONS, keys},
    *,
};
use std::{fs, path::PathBuf, time::Duration};
use world::Log;

/// The sources of one case: a file in a folder of its own, variables, flags.
struct Case {
    folder: tempfile::TempDir,
    sources: Sources,
}

impl Case {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            sources: Sources::default(),
        }
    }

    fn file(mut self, text: &str) -> Self {
        let path = self.path("stoa.toml");
        fs::write(&path, text).unwrap();
        self.sources.file = Some(path);
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.sources.environment.push((name.into(), value.into()));
        self
    }

    fn flags(mut self, arguments: &[&str]) -> Self {
        self.sources.flags = Flags::parse(arguments);
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn loaded(&self) -> Loaded {
        load(&self.sources).unwrap()
    }

    /// The problems as they are shown, with the folder's name left out.
    fn problems(&self) -> Vec<String> {
        let folder = format!("{}/", self.folder.path().display());
        let Problems(problems) = load(&self.sources).unwrap_err();
        let shown = problems.iter().map(ToString::to_string);
        shown.map(|text| text.replace(&folder, "")).collect()
    }

    fn problem(&self) -> String {
        let mut problems = self.problems();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        problems.remove(0)
    }
}

#[test]
fn nothing_written_is_a_whole_configuration() {
    let config = Case::new().loaded().config;
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.server.drain, Duration::from_secs(10));
    assert_eq!(config.server.max_body.0, 256 * 1024);
    assert_eq!(config.limits.public_window, Duration::from_mins(5));
    assert_eq!(config.starknet.poll, Duration::from_millis(500));
    assert_eq!(config.process.roles, [Role::Api, Role::Indexer, Role::Jobs]);
    assert!(config.limits.enabled);
    assert!(config.starknet.rpc.is_none());
    assert!(config.server.trusted_proxies.is_empty());
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let case = Case::new()
        .file("[server]\nlisten = '127.0.0.1:1'\ndrain = '1s'\nrequest_timeout = '1s'")
        .variable("STOA__SERVER__LISTEN", "127.0.0.1:2")
        .variable("STOA__SERVER__DRAIN", "2s")
        .flags(&["--listen", "127.0.0.1:3", "--no-rate-limit"]);
    let config = case.loaded().config;
    assert_eq!(config.server.listen.port(), 3);
    assert_eq!(config.server.drain, Duration::from_secs(2));
    assert_eq!(config.server.request_timeout, Duration::from_secs(1));
    assert!(!config.limits.enabled);
}

#[test]
fn every_problem_is_told_at_once_with_its_key_and_its_place() {
    let case = Case::new()
        .file("[server]\nlisten = 8080\ndrian = '1s'\n\n[limits]\npublic_requests = 0\n")
        .variable("STOA__SERVER__DRAIN", "soon")
        .variable("STOA__STARKNET__RCP", "http://node.example")
        .flags(&["--roles", "api,cook", "--sim-seed", "minus"]);
    assert_eq!(
        case.problems(),
        [
            "server.drian: unknown key; did you mean server.drain? (stoa.toml:3)",
            "starknet.rcp: unknown key; did you mean STOA__STARKNET__RPC? \
             (environment STOA__STARKNET__RCP)",
            "server.listen: 8080 is not an address and port such as 127.0.0.1:8080 or [::1]:8080 \
             (stoa.toml:2)",
            "server.drain: \"soon\" is not a duration such as 500ms, 2s or 5m \
             (environment STOA__SERVER__DRAIN)",
            "simnet.seed: \"minus\" is not a whole number from 0 (flag --sim-seed)",
            "process.roles: \"api,cook\" is not a list of roles, which are api, indexer and jobs: \
             see cook (flag --roles)",
        ]
    );
}

#[test]
fn a_value_of_the_wrong_form_says_what_is_expected() {
    for (text, expected) in [
        ("[server]\nlisten = 'here'", "an address and port"),
        ("[server]\ndrain = '-1s'", "a duration"),
        ("[server]\ndrain = 10", "a duration"),
        ("[server]\nmax_body = '10 potatoes'", "a size"),
        ("[server]\nmax_body = -1", "a size"),
        ("[server]\nlog = 'stoa=loud'", "a log filter"),
        ("[server]\nlog_format = 'xml'", "text, json or auto"),
        (
            "[server]\ntrusted_proxies = ['10.0.0.0/33']",
            "a list of networks",
        ),
        (
            "[server]\ntrusted_proxies = '10.0.0.0/8'",
            "a list of networks",
        ),
        ("[api]\ndialect = 'klingon'", "plain or avnu"),
        ("[limits]\nenabled = 'yes'", "true or false"),
        ("[limits]\npublic_requests = '300'", "a whole number"),
        ("[limits]\npublic_requests = 4294967296", "a whole number"),
        ("[store]\ndata = ''", "a path"),
        ("[store]\nlocation = 'mysql://db'", "a store is sqlite:PATH"),
        ("[starknet]\nrpc = 'ws://node'", "begins with http://"),
        ("[starknet]\nrpc = 7", "begins with http://"),
        ("[starknet]\nexpect_chain_id = '0xzz'", "a chain id"),
        ("[starknet]\nstart_block = -1", "a whole number"),
        ("[shared]\nredis = 'http://cache'", "begins with redis://"),
        ("[global]\nurl = 'ftp://market'", "begins with http://"),
        ("[global]\nkey = 'a b'", "a text without spaces"),
        ("[global]\nplan = 'free'", "demo or pro"),
        ("[process]\nroles = ['api', 3]", "a list of roles"),
    ] {
        let problem = Case::new().file(text).problem();
        assert!(problem.contains(expected), "{text}: {problem}");
        assert!(problem.ends_with("(stoa.toml:2)"), "{text}: {problem}");
    }
}

#[test]
fn a_value_outside_its_bounds_says_the_bounds() {
    for (text, expected) in [
        ("[server]\nrequest_timeout = '0s'", "longer than 0s"),
        ("[server]\nmax_body = 0", "at least 1B"),
        ("[limits]\npublic_window = '1500ms'", "whole seconds"),
        ("[limits]\nkey_window = '25h'", "at most 24h"),
        ("[limits]\nkey_requests = 0", "at least 1"),
        ("[starknet]\npoll = '0s'", "longer than 0s"),
        ("[global]\ninterval = '999ms'", "at least 1s"),
        ("[global]\nmax_age = '59s'", "at least global.interval"),
        ("[global]\nkey = 'abc'", "needs global.url"),
        ("[swap]\nmax_silence = '500ms'", "longer than starknet.poll"),
        ("[simnet]\nblock_time = '0ms'", "longer than 0s"),
        ("[simnet]\ntransactions_per_block = 1001", "at most 1000"),
        ("[simnet]\npools = 1001", "at most 1000"),
        ("[process]\nroles = []", "at least one role"),
    ] {
        let problem = Case::new().file(text).problem();
        assert!(problem.contains(expected), "{text}: {problem}");
        assert!(problem.ends_with("(stoa.toml:2)"), "{text}: {problem}");
    }
}

#[test]
fn what_is_unknown_is_refused_and_the_nearest_known_is_named() {
    for (text, expected) in [
        (
            "[servre]\nlisten = '1'",
            "servre: unknown section; did you mean server?",
        ),
        ("[zzz]\na = 1", "zzz: unknown section (stoa.toml:1)"),
        ("listen = 'x'", "listen: unknown section"),
        ("server = 3", "server: is a section, not a value"),
        ("[server]\nlistenn = 'x'", "did you mean server.listen?"),
        ("[server.listen]\nport = 1", "server.listen: "),
    ] {
        let problem = Case::new().file(text).problem();
        assert!(problem.contains(expected), "{text}: {problem}");
    }
    let wrong_case = Case::new().variable("STOA__server__listen", "127.0.0.1:1");
    assert!(wrong_case.problem().contains("unknown key"));
    let not_ours = Case::new().variable("STOA_HOME", "1");
    not_ours.loaded();
}

#[test]
fn text_that_is_no_toml_is_refused_with_its_lines() {
    let problems = Case::new().file("[server]\nlisten = \n[api\n").problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("stoa.toml:2")),
        "{problems:#?}"
    );
    let twice = Case::new().file("[server]\ndrain = '1s'\ndrain = '2s'\n");
    assert!(twice.problem().contains("stoa.toml:3"));
}

#[test]
fn a_missing_file_is_a_problem_of_its_flag() {
    let mut case = Case::new();
    case.sources.file = Some(case.path("absent.toml"));
    assert!(
        case.problem()
            .starts_with("--config: cannot read absent.toml: ")
    );
}

#[test]
fn lists_in_the_environment_are_separated_by_commas() {
    let case = Case::new()
        .variable("STOA__PROCESS__ROLES", "indexer, api")
        .variable("STOA__SERVER__TRUSTED_PROXIES", "10.0.0.0/8,::1/128");
    let config = case.loaded().config;
    assert_eq!(config.process.roles, [Role::Indexer, Role::Api]);
    assert_eq!(config.server.trusted_proxies.len(), 2);
}

const SECRETS: [(&str, &str); 4] = [
    (
        "STOA__STORE__LOCATION",
        "postgres://stoa:hunter2@db/stoa?sslpassword=hunter2",
    ),
    (
        "STOA__SHARED__REDIS",
        "redis://default:hunter2@cache:6379/1",
    ),
    (
        "STOA__STARKNET__RPC",
        "https://node.example/v1/hunter2?key=hunter2",
    ),
    ("STOA__GLOBAL__URL", "https://market.example/hunter2"),
];

#[test]
fn secrets_are_masked_wherever_the_configuration_is_shown() {
    let mut case = Case::new();
    for (name, value) in SECRETS {
        case = case.variable(name, value);
    }
    let loaded = case.variable("STOA__GLOBAL__KEY", "hunter2").loaded();
    let printed = loaded.print();
    for shown in [&printed, &format!("{loaded:?}")] {
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    for line in [
        "location = \"postgres://stoa:***@db/stoa?sslpassword=***\" # environment STOA__STORE__LOCATION",
        "redis = \"redis://***@cache:6379/1\" # environment STOA__SHARED__REDIS",
        "rpc = \"https://node.example/***?***\" # environment STOA__STARKNET__RPC",
        "url = \"https://market.example/***\" # environment STOA__GLOBAL__URL",
        "key = \"***\" # environment STOA__GLOBAL__KEY",
    ] {
        assert!(
            printed.lines().any(|printed| printed == line),
            "{line}\n{printed}"
        );
    }
}

#[test]
fn no_filter_lets_libraries_repeat_addresses() {
    for filter in [
        "trace",
        "tungstenite=trace,sqlx_postgres=trace",
        "tungstenite::handshake::client=trace,sqlx_postgres::options=trace",
    ] {
        let case = Case::new().variable("STOA__SERVER__LOG", &format!("{filter},stoa=trace"));
        let (log, server) = (Log::default(), case.loaded().config.server);
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(server.log.filter())
            .with_writer(log.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::trace!(target: "tungstenite::handshake::client", "Request: GET /hunter2");
            tracing::debug!(target: "tungstenite::client", "Trying to contact ws://x/hunter2");
            tracing::warn!(target: "sqlx_postgres::options::parse", value = "hunter2", "ignoring");
            tracing::trace!(target: "stoa", "heard");
        });
        let text = log.text();
        assert!(text.contains("heard"), "{filter}: {text}");
        assert!(!text.contains("hunter2"), "{filter}: {text}");
    }
}

#[test]
fn no_problem_repeats_a_secret() {
    for (name, value) in SECRETS {
        let broken = format!("x{value}");
        let problem = Case::new().variable(name, &broken).problem();
        assert!(!problem.contains("hunter2"), "{problem}");
    }
    let spaced = Case::new().variable("STOA__GLOBAL__KEY", "hunter2 hunter2");
    assert!(!spaced.problem().contains("hunter2"));
}

#[test]
fn secrets_are_taken_from_files_and_variables() {
    let case = Case::new();
    let path = case.path("redis-url");
    fs::write(&path, "redis://:hunter2@cache\n").unwrap();
    let case = case
        .variable("NODE_URL", "https://node.example/hunter2")
        .variable("STOA__STARKNET__RPC", "env:NODE_URL")
        .flags(&["--redis", &format!("file:{}", path.display())]);
    let loaded = case.loaded();
    let rpc = loaded.config.starknet.rpc.clone().unwrap();
    let first = rpc.iter().next().unwrap();
    assert_eq!(first.expose().as_str(), "https://node.example/hunter2");
    let redis = loaded.config.shared.redis.clone().unwrap();
    assert_eq!(redis.expose().password(), Some("hunter2"));
    let printed = loaded.print();
    assert!(!printed.contains("hunter2"), "{printed}");
    assert!(printed.contains("environment STOA__STARKNET__RPC, read through env:NODE_URL"));
}

#[test]
fn no_more_is_read_of_a_secret_than_it_may_have() {
    let endless = Case::new().variable("STOA__SHARED__REDIS", "file:/dev/zero");
    let problem = endless.problem();
    assert!(
        problem.contains("/dev/zero: it is larger than"),
        "{problem}"
    );
}

#[test]
fn several_nodes_can_be_named_in_every_form() {
    let urls = "https://a.example/KEY, http://b.example";
    let text = Case::new().flags(&["--starknet-rpc", urls]).loaded();
    let list = "[starknet]\nrpc = ['https://a.example/KEY', 'http://b.example']\nagreement = 2";
    for loaded in [text, Case::new().file(list).loaded()] {
        let rpc = loaded.config.starknet.rpc.clone().unwrap();
        assert_eq!(rpc.len(), 2);
        let printed = loaded.print();
        assert!(!printed.contains("KEY"), "{printed}");
        assert!(printed.contains(r#"["https://a.example/***", "http://b.example"]"#));
    }
    let one = "[starknet]\nrpc = 'https://a.example'\nagreement = 2";
    assert!(
        Case::new()
            .file(one)
            .problem()
            .contains("starknet.agreement: must be")
    );
    assert!(
        Case::new()
            .file("[starknet]\nrpc = []")
            .problem()
            .contains("0 addresses, not 1 to 8")
    );
}

#[test]
fn a_reference_to_nothing_is_a_problem_of_its_key() {
    let case =
        Case::new().file("[starknet]\nrpc = 'env:ABSENT'\n[shared]\nredis = 'file:/absent/x'");
    let problems = case.problems();
    assert_eq!(problems.len(), 2, "{problems:#?}");
    assert!(problems[0].starts_with("shared.redis: cannot read /absent/x: "));
    assert_eq!(
        problems[1],
        "starknet.rpc: the environment variable ABSENT is not set (stoa.toml:2)"
    );
}

#[test]
fn what_is_printed_can_be_loaded_again() {
    let first = Case::new().flags(&["--listen", "[::1]:0", "--data", "./a b", "--roles", "api"]);
    let printed = first.loaded().print();
    let second = Case::new().file(&printed).loaded();
    let strip = |text: &str| {
        let lines = text
            .lines()
            .map(|line| line.split(" # ").next().unwrap_or_default().to_owned());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(strip(&printed), strip(&second.print()));
    assert!(printed.contains("listen = \"[::1]:0\" # flag --listen"));
    assert!(printed.contains("drain = \"10s\" # default"));
}

#[test]
fn every_key_is_documented_and_every_name_is_used_once() {
    let mut flags: Vec<&str> = keys()
        .filter_map(|key| key.flag)
        .map(keys::Flag::name)
        .collect();
    let count = flags.len();
    flags.sort_unstable();
    flags.dedup();
    assert_eq!(flags.len(), count);
    for key in keys() {
        assert!(!key.doc.is_empty(), "{}", key.path);
        assert!(!key.name().contains("__"), "{}", key.path);
    }
    for section in SECTIONS {
        assert!(!section.doc.is_empty(), "{}", section.name);
    }
}

#[test]
fn the_example_file_is_what_the_program_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../config.example.toml");
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == example().unwrap(),
        "out of date: cargo run -p stoa -- config example > config.example.toml"
    );
}

#[test]
fn the_example_with_every_default_uncommented_is_a_sound_configuration() {
    let example = example().unwrap();
    let uncommented = example.lines().map(|line| {
        let setting = line.strip_prefix("# ").filter(|rest| {
            rest.split_once(" = ")
                .is_some_and(|(name, _)| keys().any(|key| key.name() == name))
        });
        setting.unwrap_or(line)
    });
    let text = uncommented.collect::<Vec<_>>().join("\n");
    let loaded = Case::new().file(&text).loaded();
    assert!(loaded.print().contains("listen = \"127.0.0.1:8080\" # "));
}

#[test]
fn an_issuer_is_named_with_its_audience_and_cannot_be_forged_on_the_way() {
    let issuer = "[oidc]\nissuer = 'https://id.example/realms/x/'\naudience = 'market'";
    let config = Case::new().file(issuer).loaded().config;
    let name = config.oidc.issuer.unwrap();
    assert_eq!(name.as_str(), "https://id.example/realms/x/");
    assert_eq!(config.oidc.groups_claim.0, "groups");
    assert!(Case::new().loaded().config.oidc.issuer.is_none());
    for (text, told) in [
        (
            "issuer = 'http://id.example'\naudience = 'a'",
            "it must begin with https://; http:// is for 127.0.0.1, [::1] and localhost alone",
        ),
        (
            "issuer = 'https://id.example/?x=y'\naudience = 'a'",
            "oidc.issuer: must have no ?",
        ),
        (
            "issuer = 'https://id.example'",
            "oidc.audience: must be given together with oidc.issuer",
        ),
        (
            "audience = 'a'",
            "oidc.audience: must be given together with oidc.issuer",
        ),
        (
            "staff_group = 'a'",
            "oidc.staff_group: needs oidc.issuer, whose it is",
        ),
        (
            "jwks_url = 'https://id.example/jwks'",
            "oidc.jwks_url: needs oidc.issuer, whose it is",
        ),
        (
            "groups_claim = ''",
            "is not a printable text of 1 to 256 ASCII characters",
        ),
    ] {
        let problem = Case::new().file(&format!("[oidc]\n{text}")).problem();
        assert!(problem.contains(told), "{text}: {problem}");
    }
}
