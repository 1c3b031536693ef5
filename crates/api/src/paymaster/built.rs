//! `paymaster_buildTransaction`.

use super::{
    envelope::RpcError,
    hex::{Hex, amount},
    wire::{ApplyActionParam, DeploymentParam, InvokeParam, MAX_CALLS, ParametersParam},
};
use primitives::U256;
use serde::{Deserialize, Serialize, Serializer};
use services::paymaster::{BuildRequest, BuiltTransaction, FeeAction, Paymaster};
use trading::paymaster::{Fee, OutsideExecution, Transaction};

/// The params; `parameters` are echoed in the answer, with a tip if they had none.
#[derive(Debug, Deserialize)]
pub(super) struct BuildParams {
    transaction: TransactionParam,
    parameters: ParametersParam,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum TransactionParam {
    Deploy {
        deployment: DeploymentParam,
    },
    Invoke {
        invoke: InvokeParam,
    },
    DeployAndInvoke {
        deployment: DeploymentParam,
        invoke: InvokeParam,
    },
    ApplyAction {
        apply_action: ApplyActionParam,
    },
    InvokeAndApplyAction {
        invoke: InvokeParam,
        apply_action: ApplyActionParam,
    },
}

impl TransactionParam {
    fn transaction(&self) -> Result<Transaction, RpcError> {
        if self.invoke().is_some_and(InvokeParam::is_too_long) {
            let words = format!("a transaction has at most {MAX_CALLS} calls");
            return Err(RpcError::invalid_params(&words));
        }
        Ok(match self {
            Self::Deploy { deployment } => Transaction::Deploy(deployment.deployment()),
            Self::Invoke { invoke } => Transaction::Invoke {
                user: invoke.user_address.address(),
                calls: invoke.calls(),
            },
            Self::DeployAndInvoke { deployment, invoke } => {
                let deployment = deployment.deployment();
                if deployment.address != invoke.user_address.address() {
                    let words = "the user must be the account that is deployed";
                    return Err(RpcError::invalid_params(words));
                }
                Transaction::DeployAndInvoke {
                    deployment,
                    calls: invoke.calls(),
                }
            }
            Self::ApplyAction { apply_action } => Transaction::ApplyAction {
                pool: apply_action.pool_address.address(),
            },
            Self::InvokeAndApplyAction {
                invoke,
                apply_action,
            } => Transaction::InvokeAndApplyAction {
                user: invoke.user_address.address(),
                calls: invoke.calls(),
                pool: apply_action.pool_address.address(),
            },
        })
    }

    fn invoke(&self) -> Option<&InvokeParam> {
        match self {
            Self::Invoke { invoke }
            | Self::DeployAndInvoke { invoke, .. }
            | Self::InvokeAndApplyAction { invoke, .. } => Some(invoke),
            Self::Deploy { .. } | Self::ApplyAction { .. } => None,
        }
    }

    fn into_deployment(self) -> Option<DeploymentParam> {
        match self {
            Self::Deploy { deployment } | Self::DeployAndInvoke { deployment, .. } => {
                Some(deployment)
            }
            _ => None,
        }
    }
}

/// The answer; its type is `deploy_and_invoke` for a deployment that its user pays for.
#[derive(Serialize)]
pub(super) struct BuildBody {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    deployment: Option<DeploymentParam>,
    #[serde(skip_serializing_if = "Option::is_none")]
    typed_data: Option<TypedDataBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fee_action: Option<FeeActionBody>,
    parameters: ParametersParam,
    fee: FeeBody,
}

struct TypedDataBody {
    execution: OutsideExecution,
    chain: String,
}

impl Serialize for TypedDataBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.execution.serialize_typed_data(&self.chain, serializer)
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum FeeActionBody {
    Withdraw {
        recipient: Hex,
        token: Hex,
        amount: String,
    },
    None,
}

impl FeeActionBody {
    fn of(action: FeeAction) -> Self {
        match action {
            FeeAction::Withdraw {
                recipient,
                token,
                amount: paid,
            } => Self::Withdraw {
                recipient: Hex(recipient.felt()),
                token: Hex(token.felt()),
                amount: amount(paid),
            },
            FeeAction::None => Self::None,
        }
    }
}

#[derive(Serialize)]
struct FeeBody {
    gas_token_price_in_strk: String,
    estimated_fee_in_strk: String,
    estimated_fee_in_gas_token: String,
    suggested_max_fee_in_strk: String,
    suggested_max_fee_in_gas_token: String,
}

impl FeeBody {
    fn of(fee: &Fee) -> Self {
        Self {
            gas_token_price_in_strk: amount(fee.price.in_strk),
            estimated_fee_in_strk: amount(U256::from(fee.estimated_in_strk)),
            estimated_fee_in_gas_token: amount(fee.estimated_in_token),
            suggested_max_fee_in_strk: amount(U256::from(fee.max_in_strk)),
            suggested_max_fee_in_gas_token: amount(fee.max_in_token),
        }
    }
}

/// By what `type` clients know a transaction.
const fn kind(transaction: &Transaction) -> &'static str {
    match transaction {
        Transaction::Deploy(_) => "deploy",
        Transaction::Invoke { .. } => "invoke",
        Transaction::DeployAndInvoke { .. } => "deploy_and_invoke",
        Transaction::ApplyAction { .. } => "apply_action",
        Transaction::InvokeAndApplyAction { .. } => "invoke_and_apply_action",
    }
}

pub(super) async fn build(
    paymaster: &Paymaster,
    BuildParams {
        transaction,
        parameters,
    }: BuildParams,
    key: Option<&str>,
) -> Result<BuildBody, RpcError> {
    let request = BuildRequest {
        transaction: transaction.transaction()?,
        mode: parameters.fee_mode.mode(),
        tip: parameters.fee_mode.tip(),
        bounds: parameters.bounds(),
    };
    let BuiltTransaction {
        transaction: built,
        fee,
        execution,
        fee_action,
    } = paymaster.build(&request, key).await?;
    let chain = paymaster.chain_name();
    Ok(BuildBody {
        r#type: kind(&built),
        deployment: transaction.into_deployment(),
        typed_data: execution.map(|execution| TypedDataBody {
            execution,
            chain: chain.to_owned(),
        }),
        fee_action: fee_action.map(FeeActionBody::of),
        parameters,
        fee: FeeBody::of(&fee),
    })
}
