// The factory of recurring orders: takes what is to be sold, deploys the order,
// and says who may execute cycles.

#[starknet::contract]
mod OrderFactory {
    use starknet::{ClassHash, ContractAddress, get_caller_address};
    use starknet::SyscallResultTrait;
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use super::{IErc20Dispatcher, IErc20DispatcherTrait, OrderTerms};

    #[storage]
    struct Storage {
        order_class: ClassHash,
        exchange: ContractAddress,
        count: felt252,
        executors: Map<ContractAddress, bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        DcaOrderDeployed: DcaOrderDeployed,
    }

    #[derive(Drop, starknet::Event)]
    struct DcaOrderDeployed {
        #[key]
        order_address: ContractAddress,
        #[key]
        trader_address: ContractAddress,
        order_class_hash: ClassHash,
        terms: OrderTerms,
        end_date: u64,
    }

    #[constructor]
    fn constructor(ref self: ContractState, order_class: ClassHash, exchange: ContractAddress) {
        self.order_class.write(order_class);
        self.exchange.write(exchange);
    }

    #[abi(embed_v0)]
    impl OrderFactory of super::IOrderFactory<ContractState> {
        fn deploy_dca_order(ref self: ContractState, terms: OrderTerms) -> ContractAddress {
            assert(terms.cycle_months == 0, 'only cycles of seconds');
            let trader_address = get_caller_address();
            let order_class_hash = self.order_class.read();
            let count = self.count.read() + 1;
            self.count.write(count);
            let mut arguments = array![trader_address.into(), self.exchange.read().into()];
            terms.serialize(ref arguments);
            let (order_address, _) = starknet::syscalls::deploy_syscall(
                order_class_hash, count, arguments.span(), false
            )
                .unwrap_syscall();
            IErc20Dispatcher { contract_address: terms.sell_token_address }
                .transfer_from(trader_address, order_address, terms.sell_amount);
            let cycles: u64 = (terms.sell_amount / terms.sell_amount_per_cycle)
                .try_into()
                .unwrap();
            let end_date = terms.start_date + cycles * terms.cycle_seconds;
            self
                .emit(
                    DcaOrderDeployed {
                        order_address, trader_address, order_class_hash, terms, end_date
                    }
                );
            order_address
        }

        fn set_executor(ref self: ContractState, executor: ContractAddress, allowed: bool) {
            self.executors.write(executor, allowed);
        }

        fn is_executor(self: @ContractState, executor: ContractAddress) -> bool {
            self.executors.read(executor)
        }
    }
}
