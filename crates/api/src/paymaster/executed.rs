//! `paymaster_executeTransaction` and `paymaster_trackingIdToLatestHash`.

use super::{
    envelope::{RpcError, is_object},
    hex::Hex,
    params::{one, read},
    wire::{CallParam, DeploymentParam, ParametersParam},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use services::paymaster::{ExecuteRequest, Paymaster, SignedExecution, TrackedStatus};

/// The params; of `parameters` only who pays counts, since bounds and tip were signed.
#[derive(Debug, Deserialize)]
pub(super) struct ExecuteParams {
    transaction: SignedParam,
    parameters: ParametersParam,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum SignedParam {
    Deploy {
        deployment: DeploymentParam,
    },
    Invoke {
        invoke: SignedInvokeParam,
    },
    DeployAndInvoke {
        deployment: DeploymentParam,
        invoke: SignedInvokeParam,
    },
    ApplyAction {
        apply_action: ActionsParam,
    },
    InvokeAndApplyAction {
        invoke: SignedInvokeParam,
        apply_action: ActionsParam,
    },
}

/// Its proof is for nodes that check one.
#[derive(Debug, Deserialize)]
struct ActionsParam {
    apply_actions_call: CallParam,
}

#[derive(Debug, Deserialize)]
struct SignedInvokeParam {
    user_address: Hex,
    typed_data: Value,
    signature: Vec<Hex>,
}

/// The most elements of a signature; what they mean is for the account to say.
const MAX_SIGNATURE: usize = 256;

impl SignedInvokeParam {
    fn signed(self) -> Result<SignedExecution, RpcError> {
        if self.signature.len() > MAX_SIGNATURE {
            let words = format!("a signature has at most {MAX_SIGNATURE} elements");
            return Err(RpcError::invalid_params(&words));
        }
        Ok(SignedExecution {
            user: self.user_address.address(),
            typed_data: self.typed_data,
            signature: Hex::felts(&self.signature),
        })
    }
}

/// The answer, also of what was sent before: its hash is then that of the newest attempt.
#[derive(Serialize)]
pub(super) struct ExecutedBody {
    tracking_id: Hex,
    transaction_hash: Hex,
}

pub(super) async fn execute(
    paymaster: &Paymaster,
    params: ExecuteParams,
    key: Option<&str>,
) -> Result<ExecutedBody, RpcError> {
    let (deployment, signed, actions) = match params.transaction {
        SignedParam::Deploy { deployment } => (Some(deployment), None, None),
        SignedParam::Invoke { invoke } => (None, Some(invoke), None),
        SignedParam::DeployAndInvoke { deployment, invoke } => {
            (Some(deployment), Some(invoke), None)
        }
        SignedParam::ApplyAction { apply_action } => (None, None, Some(apply_action)),
        SignedParam::InvokeAndApplyAction {
            invoke,
            apply_action,
        } => (None, Some(invoke), Some(apply_action)),
    };
    let request = ExecuteRequest {
        deployment: deployment.map(|it| it.deployment()),
        signed: signed.map(SignedInvokeParam::signed).transpose()?,
        actions: actions.map(|it| it.apply_actions_call.call()),
        mode: params.parameters.fee_mode.mode(),
    };
    let executed = paymaster.execute(&request, key).await?;
    Ok(ExecutedBody {
        tracking_id: Hex(executed.tracking_id),
        transaction_hash: Hex(executed.hash),
    })
}

#[derive(Deserialize)]
struct TrackParams {
    tracking_id: Hex,
}

/// The answer; its hash is another than the one told first where that was replaced.
#[derive(Serialize)]
pub(super) struct TrackedBody {
    transaction_hash: Hex,
    status: &'static str,
}

/// The id comes in an object, or alone in a list.
pub(super) async fn track(
    paymaster: &Paymaster,
    params: Option<&RawValue>,
) -> Result<TrackedBody, RpcError> {
    let one = one(params).ok_or_else(|| {
        let words = "params must be {\"tracking_id\": …}, or a list of that or of the id";
        RpcError::invalid_params(words)
    })?;
    let Hex(id) = if is_object(one.get()) {
        read::<TrackParams>(one)?.tracking_id
    } else {
        read(one)?
    };
    let tracked = paymaster.track(id).await?;
    Ok(TrackedBody {
        transaction_hash: Hex(tracked.hash),
        status: match tracked.status {
            TrackedStatus::Active => "active",
            TrackedStatus::Accepted => "accepted",
            TrackedStatus::Dropped => "dropped",
        },
    })
}
