//! What people send: requests to the market, and to the node of their wallets.

use anyhow::{Context as _, bail, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use primitives::{Lamports, PublicKey, Ulid};
use reqwest::{Client, Method, RequestBuilder, StatusCode, header::CONTENT_TYPE};
use serde_json::{Value, json};
use std::time::Duration;
use thiserror::Error;
use url::Url;

const TIMEOUT: Duration = Duration::from_secs(10);

/// Connections to a service on this machine.
pub(crate) fn http() -> anyhow::Result<Client> {
    Ok(Client::builder().timeout(TIMEOUT).no_proxy().build()?)
}

/// Connections for all simulated people, whose requests the log leaves out.
pub(super) fn http_of_people() -> anyhow::Result<Client> {
    let client = Client::builder().timeout(TIMEOUT).no_proxy();
    Ok(client.user_agent(api::SIMULATED_PERSON).build()?)
}

/// The market's API.
#[derive(Debug, Clone)]
pub(crate) struct ApiClient {
    http: Client,
    base: Url,
}

impl ApiClient {
    pub(crate) fn new(http: Client, base: Url) -> Self {
        Self { http, base }
    }

    /// What is answered under `data`.
    pub(super) async fn get(&self, path: &str, bearer: Option<&str>) -> anyhow::Result<Value> {
        let request = self.request(Method::GET, path, bearer)?;
        data(request).await
    }

    /// The whole answer, where it is not under `data`.
    pub(crate) async fn get_whole(&self, path: &str) -> anyhow::Result<Value> {
        answer(self.request(Method::GET, path, None)?).await
    }

    /// The same, to a body.
    pub(crate) async fn post_whole(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let request = self.request(Method::POST, path, None)?;
        answer(with_json(request, body)).await
    }

    pub(super) async fn post(
        &self,
        path: &str,
        bearer: Option<&str>,
        body: &Value,
    ) -> anyhow::Result<Value> {
        let request = self.request(Method::POST, path, bearer)?;
        data(with_json(request, body)).await
    }

    pub(super) async fn patch(
        &self,
        path: &str,
        bearer: &str,
        body: &Value,
    ) -> anyhow::Result<Value> {
        let request = self.request(Method::PATCH, path, Some(bearer))?;
        data(with_json(request, body)).await
    }

    /// A request that is done once, however often it is sent.
    pub(super) async fn post_once(
        &self,
        path: &str,
        bearer: &str,
        key: Ulid,
        body: &Value,
    ) -> anyhow::Result<Value> {
        let request = self.request(Method::POST, path, Some(bearer))?;
        let request = request.header("Idempotency-Key", key.to_string());
        data(with_json(request, body)).await
    }

    /// The transaction that pays for a memo.
    pub(super) async fn payment(&self, memo: &str, payer: PublicKey) -> anyhow::Result<Vec<u8>> {
        let path = format!("/v1/chain-pay/{memo}");
        let request = self.request(Method::POST, &path, None)?;
        let answer = answer(with_json(request, &json!({ "account": payer }))).await?;
        let text = answer["transaction"].as_str().context("no transaction")?;
        Ok(STANDARD.decode(text)?)
    }

    /// What the paymaster answers a method with, for a sponsor's key.
    pub(crate) async fn call_paymaster(
        &self,
        key: &str,
        method: &str,
        params: &Value,
    ) -> anyhow::Result<Value> {
        let request = self.request(Method::POST, "/", None)?;
        let request = request.header("x-paymaster-api-key", key);
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut answer = answer(with_json(request, &call)).await?;
        if let Some(error) = answer.get("error") {
            anyhow::bail!("{method}: {error}");
        }
        Ok(member(&mut answer, "result"))
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        bearer: Option<&str>,
    ) -> anyhow::Result<RequestBuilder> {
        let request = self.http.request(method, self.base.join(path)?);
        Ok(match bearer {
            Some(bearer) => request.bearer_auth(bearer),
            None => request,
        })
    }
}

fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    let request = request.header(CONTENT_TYPE, "application/json");
    request.body(body.to_string())
}

/// A member of an answer, or null.
fn member(answer: &mut Value, name: &str) -> Value {
    answer.get_mut(name).map(Value::take).unwrap_or_default()
}

async fn data(request: RequestBuilder) -> anyhow::Result<Value> {
    let mut answer = answer(request).await?;
    Ok(member(&mut answer, "data"))
}

async fn answer(request: RequestBuilder) -> anyhow::Result<Value> {
    let answer = request.send().await?;
    let status = answer.status();
    let body: Value = serde_json::from_slice(&answer.bytes().await?)?;
    ensure!(
        status.is_success(),
        Refusal {
            status,
            detail: body["detail"].to_string(),
        }
    );
    Ok(body)
}

/// The market said no.
#[derive(Debug, Error)]
#[error("{status}: {detail}")]
pub(super) struct Refusal {
    status: StatusCode,
    detail: String,
}

impl Refusal {
    /// Whether whoever asked is not signed in any more.
    pub(super) fn is_of_a_session(error: &anyhow::Error) -> bool {
        let refusal = error.downcast_ref::<Self>();
        refusal.is_some_and(|refusal| refusal.status == StatusCode::UNAUTHORIZED)
    }
}

/// The node's JSON-RPC.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    http: Client,
    url: Url,
}

impl Node {
    pub(crate) fn new(http: Client, url: Url) -> Self {
        Self { http, url }
    }

    pub(crate) async fn balance(&self, wallet: PublicKey) -> anyhow::Result<Lamports> {
        let balance = self.call("getBalance", json!([wallet])).await?;
        let lamports = balance["value"].as_u64().context("no balance")?;
        Ok(Lamports::new(lamports))
    }

    pub(super) async fn airdrop(&self, wallet: PublicKey, amount: Lamports) -> anyhow::Result<()> {
        let params = json!([wallet, amount.get()]);
        self.call("requestAirdrop", params).await.map(drop)
    }

    pub(crate) async fn send(&self, transaction: &[u8]) -> anyhow::Result<()> {
        let text = STANDARD.encode(transaction);
        let params = json!([text, {"encoding": "base64"}]);
        self.call("sendTransaction", params).await.map(drop)
    }

    async fn call(&self, method: &str, params: Value) -> anyhow::Result<Value> {
        let question = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = self.http.post(self.url.clone());
        let answer = with_json(request, &question).send().await?;
        let mut answer: Value = serde_json::from_slice(&answer.bytes().await?)?;
        if !answer["error"].is_null() {
            bail!("{method}: {}", answer["error"]);
        }
        Ok(member(&mut answer, "result"))
    }
}
