//! Node addresses hold keys, and keys stay out of logs.

use crate::node::{Node, Reply, client, options};
use chain::RpcError;
use std::{error::Error, fmt::Write as _};

/// Everything that any log could show of an error.
fn shown(error: &RpcError) -> String {
    let mut text = format!("{error:?} {error}");
    let mut source = error.source();
    while let Some(error) = source {
        write!(text, " {error:?} {error}").unwrap();
        source = error.source();
    }
    text
}

#[tokio::test]
async fn the_keys_in_a_url_are_used_but_never_shown() {
    let node = Node::start(|nth, _| match nth {
        1 => Reply::Status(404, None),
        2 => Reply::Text("not JSON".into()),
        3 => Reply::CutShort("{"),
        _ => Reply::Silence,
    })
    .await;
    let mut url = node.url.clone();
    url.set_path("/v1/SECRET-path");
    url.set_query(Some("key=SECRET-query"));
    url.set_username("SECRET-user").unwrap();
    url.set_password(Some("SECRET-pass")).unwrap();
    let once = chain::RpcOptions {
        attempts: std::num::NonZeroU32::MIN,
        timeout: std::time::Duration::from_millis(100),
        ..options()
    };
    let client = client(url.clone(), once);
    let mut texts = vec![format!("{client:?}")];
    for _ in 0..4 {
        texts.push(shown(&client.head().await.unwrap_err()));
    }
    node.with_asked(|asked| {
        let sent = asked[0].headers["authorization"].to_str().unwrap();
        assert!(sent.starts_with("Basic "), "{sent}");
    });

    url.set_port(Some(1)).unwrap();
    let nobody = crate::node::client(url, once);
    texts.push(shown(&nobody.head().await.unwrap_err()));
    for text in texts {
        assert!(
            text.contains("127.0.0.1") || text.contains("malformed"),
            "{text}"
        );
        assert!(!text.contains("SECRET"), "{text}");
    }
}
