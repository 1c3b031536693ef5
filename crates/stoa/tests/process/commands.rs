//! Commands that end by themselves.

use crate::harness::{FREE_PORTS, Home, run, stoa, text};
use std::{fs, net::TcpListener};
use store::Location;
use world::{Engine, TestDatabase};

#[test]
fn config_check_tells_every_problem() {
    assert_eq!(text(&run(&["config", "check"]).stdout), "ok\n");
    let home = Home::new();
    let file = home.path("stoa.toml");
    fs::write(&file, "[server]\nlisten = 1\nlissten = 2\n").unwrap();
    let mut command = stoa(&["config", "check", "--config", &file.display().to_string()]);
    let output = command
        .env("STOA__LIMITS__ENABLED", "maybe")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert!(
        stderr.starts_with("error: the configuration has 3 problems\n"),
        "{stderr}"
    );
    for part in [
        "did you mean server.listen?",
        "stoa.toml:2",
        "environment STOA__LIMITS__ENABLED",
    ] {
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn config_print_shows_what_is_in_force_and_no_secret() {
    let mut command = stoa(&["config", "print", "--dialect", "avnu"]);
    let output = command
        .env("STOA__STORE__LOCATION", "postgres://stoa:hunter2@db/stoa")
        .output()
        .unwrap();
    assert!(output.status.success());
    let stdout = text(&output.stdout);
    assert!(
        stdout.contains("dialect = \"avnu\" # flag --dialect"),
        "{stdout}"
    );
    assert!(
        stdout.contains("# environment STOA__STORE__LOCATION"),
        "{stdout}"
    );
    assert!(!stdout.contains("hunter2"), "{stdout}");
}

#[test]
fn migrate_does_its_work_once() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let first = run(&["migrate", "--data", &data]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("from version 0"));
    let second = run(&["migrate", "--data", &data]);
    assert!(
        text(&second.stdout)
            .lines()
            .all(|line| line.ends_with("nothing to do"))
    );
}

#[test]
fn openapi_writes_the_documents_that_it_prints() {
    let home = Home::new();
    let folder = home.path("openapi");
    let output = run(&["openapi", "--out", &folder.display().to_string()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed: serde_json::Value = serde_json::from_slice(&run(&["openapi"]).stdout).unwrap();
    for (name, document) in printed.as_object().unwrap() {
        let written = fs::read_to_string(folder.join(name)).unwrap();
        let written: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(&written, document, "{name}");
    }
}

#[test]
fn doctor_finds_nothing_wrong_with_a_fresh_folder_and_leaves_it_so() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let output = run(&[&["doctor", "--data", &data], &FREE_PORTS[..]].concat());
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    for subject in ["folder", "store", "node", "clock", "port"] {
        assert!(stdout.contains(subject), "{stdout}");
    }
    assert!(!home.data().exists());
}

#[test]
fn doctor_names_each_failure_and_the_way_out() {
    let home = Home::new();
    fs::write(home.data(), "not a folder").unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let output = run(&[
        "doctor",
        "--data",
        &home.data().display().to_string(),
        "--listen",
        &taken.local_addr().unwrap().to_string(),
        "--starknet-rpc",
        &format!("http://{dead}/hunter2"),
    ]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    for failure in ["FAIL  folder", "FAIL  store", "FAIL  node", "FAIL  port"] {
        assert!(stdout.contains(failure), "{stdout}");
    }
    for advice in ["--data", "--starknet-rpc", "--listen"] {
        assert!(stdout.contains(advice), "{stdout}");
    }
    assert!(!stdout.contains("hunter2"), "{stdout}");
}

#[test]
fn commands_that_read_create_nothing() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let id = "01J0000000000000000000000A";
    for arguments in [
        &["key", "list"][..],
        &["key", "list", "--json"],
        &["key", "revoke", "key_0"],
        &["user", "list"],
        &["user", "roles", id, "--role", "staff"],
        &["token", "list", "--user", id],
        &["sponsor", "list"],
        &["sponsor", "explain", "spn_0", "--call", "0x1:move"],
        &["sponsor", "audit", "spn_0"],
        &["audit", "verify"],
    ] {
        let output = run(&[arguments, &["--data", &data]].concat());
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(
            told.starts_with("error: there is no database at "),
            "{told}"
        );
        assert!(told.contains(&data) && told.lines().count() == 1, "{told}");
        assert!(!home.data().exists(), "{arguments:?}");
    }
    // A folder of something else stays as it is.
    fs::create_dir(home.data()).unwrap();
    let output = run(&["key", "list", "--data", &data]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_dir(home.data()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_postgres_without_tables_is_no_database_and_stays_so() {
    let database = TestDatabase::new(Engine::Postgres).await;
    let Location::Postgres { url } = &database.location else {
        panic!("another engine");
    };
    let home = Home::new();
    let data = home.data().display().to_string();
    for _ in 0..2 {
        let output = run(&["key", "list", "--data", &data, "--store", url]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(!home.data().exists());
    }
}

#[test]
fn lists_are_json_for_programs() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let told = |arguments: &[&str]| {
        let output = run(&[arguments, &["--data", &data]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let listed = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&told(&[arguments, &["--json"]].concat())).unwrap()
    };
    told(&["migrate"]);
    assert_eq!(listed(&["key", "list"]), serde_json::json!([]));
    told(&["key", "create", "--name", "app"]);
    told(&["sponsor", "create", "--name", "game", "--credits", "2.5"]);
    told(&["user", "add", "--name", "Ada", "--role", "trader,staff"]);
    let key = listed(&["key", "list"]);
    assert_eq!(
        (&key[0]["name"], key[0]["revoked_at"].is_null()),
        (&"app".into(), true)
    );
    let sponsor = listed(&["sponsor", "list"]);
    assert_eq!(sponsor[0]["credits_strk"], "2.5");
    let user = listed(&["user", "list"]);
    assert_eq!(user[0]["roles"], serde_json::json!(["trader", "staff"]));
    let id = user[0]["id"].as_str().unwrap();
    told(&["token", "create", "--user", id, "--name", "bot"]);
    assert_eq!(listed(&["token", "list", "--user", id])[0]["name"], "bot");
}

#[test]
fn shells_and_man_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&run(&["completions", shell]).stdout);
        assert!(
            script.contains("sponsor") && script.contains("no-rate-limit"),
            "{shell}"
        );
    }
    assert!(text(&run(&["man"]).stdout).contains(".TH stoa 1"));
    let home = Home::new();
    let folder = home.path("man1");
    let output = run(&["man", "--out", &folder.display().to_string()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for page in ["stoa.1", "stoa-serve.1", "stoa-key.1"] {
        assert!(folder.join(page).exists(), "{page}");
    }
}

#[test]
fn help_explains_every_command() {
    let names = [
        "serve",
        "simnet",
        "migrate",
        "openapi",
        "config",
        "doctor",
        "key",
        "sponsor",
        "paymaster",
        "user",
        "token",
        "validator",
        "lease-token",
        "audit",
        "completions",
        "man",
    ];
    let commands = names.map(|name| vec![name, "--help"]);
    for arguments in commands.into_iter().chain([vec!["--help"]]) {
        let output = run(&arguments);
        assert!(output.status.success(), "{arguments:?}");
        assert!(text(&output.stdout).contains("Examples:"), "{arguments:?}");
    }
}
