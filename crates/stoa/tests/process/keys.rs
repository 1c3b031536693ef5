//! Keys, from making to revoking.

use crate::harness::{Home, Service, run, serve, text};
use tokio_util::sync::CancellationToken;
use world::cuttable_redis;

#[tokio::test]
async fn a_key_raises_the_limit_until_it_is_revoked() {
    const PATH: &str = "/v1/starknet/tokens";
    let home = Home::new();
    let data = home.data().display().to_string();
    let key = |arguments: &[&str]| {
        let output = run(&[&["key"], arguments, &["--data", &data]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let created = key(&["create", "--name", "mobile app"]);
    let value = |word: &str| {
        let mut lines = created.lines();
        let value = lines.find_map(|line| line.strip_prefix(word)).unwrap();
        value.trim().to_owned()
    };
    let (id, secret) = (value("id "), value("secret "));
    assert!(created.contains("the only time"), "{created}");
    let listed = key(&["list"]);
    assert!(listed.contains(&id) && listed.contains("valid") && listed.contains("mobile app"));
    assert!(!listed.contains(&secret));

    let service = Service::ready(serve(&home.data(), &[]));
    let public = service.get(PATH).await;
    assert_eq!((public.status, public.limit.as_deref()), (200, Some("300")));
    let keyed = service.get_with_key(PATH, Some(&secret)).await;
    assert_eq!((keyed.status, keyed.limit.as_deref()), (200, Some("3000")));
    let unknown = format!("stoa_{}", "0".repeat(64));
    assert_eq!(service.get_with_key(PATH, Some(&unknown)).await.status, 401);
    assert_eq!(service.end_with("TERM").code(), Some(0));

    key(&["revoke", &id]);
    assert!(key(&["list"]).contains("revoked"));
    let again = run(&["key", "revoke", &id, "--data", &data]);
    assert_eq!(again.status.code(), Some(1));
    let service = Service::ready(serve(&home.data(), &[]));
    assert_eq!(service.get_with_key(PATH, Some(&secret)).await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_key_works_though_its_address_has_used_up_its_requests() {
    const PATH: &str = "/v1/starknet/tokens";
    let url = cuttable_redis(CancellationToken::new()).await;
    for shared in [&[][..], &["--redis", &url]] {
        let home = Home::new();
        let mut command = serve(&home.data(), shared);
        command.env("STOA__LIMITS__PUBLIC_REQUESTS", "2");
        let service = Service::ready(command);
        for _ in 0..2 {
            service.get(PATH).await;
        }
        assert_eq!(service.get(PATH).await.status, 429, "{shared:?}");
        let data = home.data().display().to_string();
        let created = run(&["key", "create", "--name", "new", "--data", &data]);
        let created = text(&created.stdout);
        let secret = created
            .lines()
            .find_map(|line| line.strip_prefix("secret "));
        let keyed = service.get_with_key(PATH, secret.map(str::trim)).await;
        assert_eq!((keyed.status, keyed.limit.as_deref()), (200, Some("3000")));
        assert_eq!(service.get(PATH).await.status, 429, "{shared:?}");
    }
}
