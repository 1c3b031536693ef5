// The forwarder of a paymaster: does what an account's owner signed, in the name of
// a relayer, and takes no more of what the account pays than the relayer says.

#[starknet::contract]
mod Forwarder {
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use starknet::SyscallResultTrait;
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use super::{IErc20Dispatcher, IErc20DispatcherTrait};

    #[storage]
    struct Storage {
        relayers: Map<ContractAddress, bool>,
        recipient: ContractAddress,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        SponsoredTransaction: SponsoredTransaction,
    }

    #[derive(Drop, starknet::Event)]
    struct SponsoredTransaction {
        user_address: ContractAddress,
        sponsor_metadata: Array<felt252>,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState, relayer: ContractAddress, recipient: ContractAddress
    ) {
        self.relayers.write(relayer, true);
        self.recipient.write(recipient);
    }

    #[external(v0)]
    fn execute(
        ref self: ContractState,
        account_address: ContractAddress,
        entrypoint: felt252,
        calldata: Array<felt252>,
        gas_token_address: ContractAddress,
        gas_amount: u256
    ) {
        assert(self.relayers.read(get_caller_address()), 'Caller is not whitelisted');
        let token = IErc20Dispatcher { contract_address: gas_token_address };
        let before = token.balance_of(get_contract_address());
        starknet::syscalls::call_contract_syscall(account_address, entrypoint, calldata.span())
            .unwrap_syscall();
        let received = token.balance_of(get_contract_address()) - before;
        assert(received >= gas_amount, 'Gas fees are not paid');
        token.transfer(self.recipient.read(), gas_amount);
        if received > gas_amount {
            token.transfer(account_address, received - gas_amount);
        }
    }

    #[external(v0)]
    fn execute_sponsored(
        ref self: ContractState,
        account_address: ContractAddress,
        entrypoint: felt252,
        calldata: Array<felt252>,
        sponsor_metadata: Array<felt252>
    ) {
        assert(self.relayers.read(get_caller_address()), 'Caller is not whitelisted');
        starknet::syscalls::call_contract_syscall(account_address, entrypoint, calldata.span())
            .unwrap_syscall();
        self.emit(SponsoredTransaction { user_address: account_address, sponsor_metadata });
    }

    #[external(v0)]
    fn is_whitelisted(self: @ContractState, relayer: ContractAddress) -> bool {
        self.relayers.read(relayer)
    }

    #[external(v0)]
    fn get_gas_fees_recipient(self: @ContractState) -> ContractAddress {
        self.recipient.read()
    }
}
