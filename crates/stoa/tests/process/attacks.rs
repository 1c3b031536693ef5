//! What a hostile client, a full disk or a lost server may not do.

use crate::{
    harness::{Home, Service, eventually, get, run, serve, simnet, text},
    market::{base, book, register},
    own_postgres::OwnPostgres,
    squeeze::{SmallDisk, Squeeze},
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Command,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::{Instant, timeout},
};

const ATTACKER: [u8; 4] = [127, 0, 0, 1];
const BYSTANDER: [u8; 4] = [127, 0, 0, 2];

/// What a wallet asks: ETH for STRK.
const QUOTE: &str = "/swap/v3/quotes?sellAmount=0x16345785d8a0000\
    &sellTokenAddress=0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7\
    &buyTokenAddress=0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";

fn address(service: &Service) -> SocketAddr {
    base(service)
        .strip_prefix("http://")
        .unwrap()
        .parse()
        .unwrap()
}

/// Lets this process hold many sockets.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised).unwrap();
}

async fn connect(server: SocketAddr, from: [u8; 4]) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::from(from), 0).into()).unwrap();
    socket.connect(server).await.unwrap()
}

/// The answer to a request from an address of this machine.
async fn answer(server: SocketAddr, from: [u8; 4], path: &str) -> String {
    let asked = async {
        let mut stream = connect(server, from).await;
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        text(&answer)
    };
    let answered = timeout(Duration::from_secs(5), asked).await;
    answered.unwrap_or_else(|_| panic!("no answer to {path}"))
}

async fn status(server: SocketAddr, from: [u8; 4], path: &str) -> u16 {
    answer(server, from, path).await[9..12].parse().unwrap()
}

#[tokio::test]
async fn a_client_that_hoards_connections_locks_nobody_else_out() {
    raise_open_files();
    let home = Home::new();
    let flags = ["--no-sim-people", "--listen-operations", "127.0.0.1:0"];
    let service = Service::ready(serve(&home.data(), &flags));
    let server = address(&service);
    let mut hoard = Vec::new();
    for _ in 0..1_500 {
        hoard.push(connect(server, ATTACKER).await);
    }
    for path in ["/healthz", "/readyz", QUOTE] {
        assert_eq!(status(server, BYSTANDER, path).await, 200, "{path}");
    }
    let operations = service.line("operations");
    let health = get(operations, None).await;
    assert_eq!(health.status, 200, "{}", health.body);
    assert!(health.body.contains("\"nodes\""), "{}", health.body);
    assert!(
        !answer(server, BYSTANDER, "/readyz")
            .await
            .contains("\"nodes\"")
    );
    assert_eq!(status(server, BYSTANDER, "/metrics").await, 404);
}

#[tokio::test]
async fn idle_connections_of_many_clients_make_room_for_others() {
    raise_open_files();
    let home = Home::new();
    let mut command = serve(&home.data(), &["--no-sim-people"]);
    command.env("STOA__SERVER__MAX_CONNECTIONS", "200");
    let service = Service::ready(command);
    let server = address(&service);
    let mut hoard = Vec::new();
    for address in 10..14 {
        for _ in 0..150 {
            hoard.push(connect(server, [127, 0, 1, address]).await);
        }
    }
    for _ in 0..20 {
        assert_eq!(status(server, BYSTANDER, "/healthz").await, 200);
    }
    assert_eq!(status(server, BYSTANDER, QUOTE).await, 200);
}

/// Asks until the answer is the wished one.
async fn until(url: &str, wished: u16) -> String {
    let asked = async || {
        let answer = get(url, None).await;
        (answer.status == wished).then_some(answer.body)
    };
    eventually(&format!("{url} becomes {wished}"), asked).await
}

#[tokio::test]
async fn a_disk_that_was_full_for_a_moment_is_written_to_again() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    for squeeze in Squeeze::all(&home) {
        let flags = ["--starknet-rpc", node.line("node"), "--no-rate-limit"];
        let service = Service::ready(serve(&squeeze.data, &flags));
        let base = base(&service);
        let validator = register(&service, node.line("solana"), &home, &[]).await;
        let book_one = async |number: u128| {
            let lease = json!({
                "validator_id": validator["public_id"],
                "epoch_start": 1_000 + 10 * number, "epoch_count": 2,
            });
            book(&base, number, &lease).await
        };
        let (status, answer) = book_one(1).await;
        assert_eq!(status, 201, "{answer}");

        squeeze.tighten(service.id());
        let leasing = format!("{base}/readyz?product=leasing");
        until(&leasing, 503).await;
        for number in 2..20 {
            let (status, answer) = book_one(number).await;
            assert!(status >= 500, "{status} {answer}");
        }
        squeeze.loosen(service.id());

        until(&leasing, 200).await;
        for number in 2..20 {
            let (status, answer) = book_one(number).await;
            assert_eq!(status, 201, "{answer}");
        }
        // The indexer goes on, too.
        until(&format!("{base}/readyz?product=trading"), 200).await;
        let head = block(&service).await;
        eventually("two further blocks", async || {
            (block(&service).await > head + 1).then_some(())
        })
        .await;
        assert_eq!(service.end_with("TERM").code(), Some(0));
    }
}

async fn block(service: &Service) -> u64 {
    let answer = service.get("/readyz").await;
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    answer["parts"]["starknet"]["blockNumber"].as_u64().unwrap()
}

#[tokio::test]
async fn a_lost_ledger_is_refused_until_a_new_one_is_asked_for() {
    let home = Home::new();
    let data = home.data();
    Service::ready(serve(&data, &[])).end_with("TERM");
    for lose in [
        (|file: &Path| fs::remove_file(file).unwrap()) as fn(&Path),
        |file| fs::write(file, "").unwrap(),
    ] {
        lose(&data.join("ledger.db"));
        let refused = serve(&data, &[]).output().unwrap();
        assert_eq!(refused.status.code(), Some(1));
        let message = text(&refused.stderr);
        assert!(message.contains("--new-ledger"), "{message}");
        let doctor = run(&["doctor", "--data", &data.display().to_string()]);
        assert!(text(&doctor.stdout).contains("--new-ledger"));
        Service::ready(serve(&data, &["--new-ledger"])).end_with("TERM");
        Service::ready(serve(&data, &[])).end_with("TERM");
    }
}

#[tokio::test]
async fn nobody_else_can_read_the_data_whatever_the_umask() {
    let home = Home::new();
    let plain = serve(&home.data(), &[]);
    let mut command = Command::new("sh");
    command.args(["-c", "umask 000; exec \"$@\"", "sh"]);
    command.arg(plain.get_program()).args(plain.get_args());
    let service = Service::ready(command);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.data()), 0o700);
    for file in ["chain.db", "chain.db-wal", "ledger.db", "ledger.db-wal"] {
        assert_eq!(mode(&home.data().join(file)), 0o600, "{file}");
    }
    assert_eq!(service.end_with("TERM").code(), Some(0));
}

#[tokio::test]
async fn a_database_that_is_gone_shows_in_seconds_and_stops_one_product_only() {
    let server = OwnPostgres::start();
    let home = Home::new();
    let flags = ["--store", &server.url, "--no-sim-people"];
    let service = Service::ready(serve(&home.data(), &flags));
    let base = base(&service);
    let validator = register(&service, service.line("solana"), &home, &[]).await;
    let lease = json!({
        "validator_id": validator["public_id"], "epoch_start": 1_000, "epoch_count": 2,
    });
    server.stop();
    let stopped = Instant::now();
    let body = until(&format!("{base}/readyz?product=leasing"), 503).await;
    assert!(stopped.elapsed() < Duration::from_secs(10), "{body}");
    assert!(body.contains("\"ledger\""), "{body}");
    let trading = get(&format!("{base}/readyz?product=trading"), None).await;
    assert_eq!(trading.status, 200, "{}", trading.body);
    let (status, answer) = book(&base, 1, &lease).await;
    assert!(status >= 500, "{answer}");
    assert!(answer.to_string().contains("database-error"), "{answer}");
    server.start_again();
    until(&format!("{base}/readyz"), 200).await;
    let (status, answer) = book(&base, 1, &lease).await;
    assert_eq!(status, 201, "{answer}");
}

/// Bookings until one fails for want of space.
const MOST_BOOKINGS: u128 = 400;

#[tokio::test]
async fn a_postgres_whose_disk_was_full_keeps_what_it_took_and_takes_more() {
    let server = OwnPostgres::start();
    let Some(disk) = SmallDisk::mount(&server.folder("small")) else {
        return;
    };
    let url = server.database_on(&disk).await;
    let home = Home::new();
    let flags = ["--store", &url, "--no-sim-people", "--no-rate-limit"];
    let service = Service::ready(serve(&home.data(), &flags));
    let base = base(&service);
    let validator = register(&service, service.line("solana"), &home, &[]).await;
    let book_one = async |number: u128| {
        let lease = json!({
            "validator_id": validator["public_id"],
            "epoch_start": 1_000 + number, "epoch_count": 1,
        });
        book(&base, number, &lease).await
    };
    let mut taken = 0;
    let refused = loop {
        if taken == 5 {
            disk.fill();
        }
        // Pages that are there already may have room for some.
        let (status, answer) = book_one(taken).await;
        if status != 201 {
            break answer;
        }
        taken += 1;
        assert!(taken < MOST_BOOKINGS);
    };
    assert!(taken >= 5, "{refused}");
    assert!(refused.to_string().contains("database-error"), "{refused}");
    disk.empty();

    for number in 0..taken + 10 {
        let (status, answer) = book_one(number).await;
        // The first ones are repeated.
        assert_eq!(status, 201, "{number} of {taken}: {answer}");
    }
    let audit = run(&[
        "doctor",
        "--store",
        &url,
        "--data",
        &home.data().display().to_string(),
    ]);
    assert!(audit.status.success(), "{}", text(&audit.stdout));
    until(&format!("{base}/readyz"), 200).await;
    assert_eq!(service.end_with("TERM").code(), Some(0));
}
