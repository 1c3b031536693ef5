// A recurring order: holds what it sells, and sells a part of it in every cycle.

#[starknet::contract]
mod Order {
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address, get_contract_address};
    use starknet::SyscallResultTrait;
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use super::{IErc20Dispatcher, IErc20DispatcherTrait, OrderTerms};
    use super::{IOrderFactoryDispatcher, IOrderFactoryDispatcherTrait};

    #[storage]
    struct Storage {
        factory: ContractAddress,
        trader: ContractAddress,
        exchange: ContractAddress,
        sold: ContractAddress,
        bought: ContractAddress,
        per_cycle: u256,
        seconds: u64,
        start: u64,
        cycles: u64,
        least: u256,
        most: u256,
        next: u64,
        is_closed: bool,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        CycleExecuted: CycleExecuted,
        CycleSkipped: CycleSkipped,
        OrderClosed: OrderClosed,
        OrderCancelled: OrderCancelled,
    }

    #[derive(Drop, starknet::Event)]
    struct CycleExecuted {
        #[key]
        cycle: u64,
        sell_amount: u256,
        buy_amount: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct CycleSkipped {
        #[key]
        cycle: u64,
        buy_amount: u256,
        bound: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct OrderClosed {
        refund: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct OrderCancelled {
        refund: u256,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState, trader: ContractAddress, exchange: ContractAddress, terms: OrderTerms
    ) {
        self.factory.write(get_caller_address());
        self.trader.write(trader);
        self.exchange.write(exchange);
        self.sold.write(terms.sell_token_address);
        self.bought.write(terms.buy_token_address);
        self.per_cycle.write(terms.sell_amount_per_cycle);
        self.seconds.write(terms.cycle_seconds);
        self.start.write(terms.start_date);
        self.cycles.write((terms.sell_amount / terms.sell_amount_per_cycle).try_into().unwrap());
        self.least.write(terms.buy_amount_min);
        self.most.write(terms.buy_amount_max);
    }

    // Sells one part through the exchange, whose arguments the executor brings.
    #[external(v0)]
    fn execute_cycle(
        ref self: ContractState, cycle: u64, buy_amount_min: u256, swap: Array<felt252>
    ) -> u256 {
        self.begin(cycle);
        let (sold, bought) = (self.sold.read(), self.bought.read());
        let (sold_before, bought_before) = (held(sold), held(bought));
        let part = self.per_cycle.read();
        let exchange = self.exchange.read();
        IErc20Dispatcher { contract_address: sold }.approve(exchange, part);
        starknet::syscalls::call_contract_syscall(
            exchange, selector!("multi_route_swap"), swap.span()
        )
            .unwrap_syscall();
        let buy_amount = held(bought) - bought_before;
        assert(sold_before - held(sold) == part, 'Sold another amount');
        assert(buy_amount >= buy_amount_min, 'Insufficient tokens received');
        let is_within = buy_amount >= self.least.read() && buy_amount <= self.most.read();
        assert(is_within, 'Out of bounds');
        IErc20Dispatcher { contract_address: bought }.transfer(self.trader.read(), buy_amount);
        self.emit(CycleExecuted { cycle, sell_amount: part, buy_amount });
        self.end(cycle);
        buy_amount
    }

    // Lets a cycle pass that would buy too little or too much.
    #[external(v0)]
    fn skip_cycle(ref self: ContractState, cycle: u64, buy_amount: u256) {
        self.begin(cycle);
        let (least, most) = (self.least.read(), self.most.read());
        assert(buy_amount < least || buy_amount > most, 'Within bounds');
        let bound = if buy_amount < least {
            least
        } else {
            most
        };
        self.emit(CycleSkipped { cycle, buy_amount, bound });
        self.end(cycle);
    }

    #[external(v0)]
    fn cancel_order(ref self: ContractState) {
        assert(get_caller_address() == self.trader.read(), 'Caller is not the trader');
        let refund = self.close();
        self.emit(OrderCancelled { refund });
    }

    #[generate_trait]
    impl Cycling of CyclingTrait {
        // Only who may execute cycles, only the one that is due, and only once.
        fn begin(ref self: ContractState, cycle: u64) {
            let factory = IOrderFactoryDispatcher { contract_address: self.factory.read() };
            assert(factory.is_executor(get_caller_address()), 'Caller is not an executor');
            assert(cycle < self.cycles.read(), 'No such cycle');
            let due = self.start.read() + cycle * self.seconds.read();
            let now = get_block_timestamp();
            assert(now >= due && now < due + self.seconds.read(), 'Cycle is not due');
            assert(self.next.read() <= cycle, 'Cycle is over');
            self.next.write(cycle + 1);
        }

        // Pays back what is left after the last cycle.
        fn end(ref self: ContractState, cycle: u64) {
            if cycle + 1 == self.cycles.read() {
                let refund = self.close();
                self.emit(OrderClosed { refund });
            }
        }

        fn close(ref self: ContractState) -> u256 {
            assert(!self.is_closed.read(), 'Order is closed');
            self.is_closed.write(true);
            let sold = self.sold.read();
            let refund = held(sold);
            if refund > 0 {
                IErc20Dispatcher { contract_address: sold }.transfer(self.trader.read(), refund);
            }
            refund
        }
    }

    fn held(token: ContractAddress) -> u256 {
        IErc20Dispatcher { contract_address: token }.balance_of(get_contract_address())
    }
}
