// The factory of pairs, in JediSwap v1's layout.

#[starknet::contract]
mod Factory {
    use starknet::{ClassHash, ContractAddress};
    use starknet::SyscallResultTrait;
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };

    #[storage]
    struct Storage {
        pair_class: ClassHash,
        count: u32,
        pairs: Map<u32, ContractAddress>,
        of_tokens: Map<(ContractAddress, ContractAddress), ContractAddress>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        PairCreated: PairCreated,
    }

    #[derive(Drop, starknet::Event)]
    struct PairCreated {
        token0: ContractAddress,
        token1: ContractAddress,
        pair: ContractAddress,
        total_pairs: u32,
    }

    #[constructor]
    fn constructor(ref self: ContractState, pair_class: ClassHash) {
        self.pair_class.write(pair_class);
    }

    #[abi(embed_v0)]
    impl Factory of super::IFactory<ContractState> {
        fn create_pair(
            ref self: ContractState, token0: ContractAddress, token1: ContractAddress
        ) -> ContractAddress {
            let (token0, token1) = ordered(token0, token1);
            let known: felt252 = self.of_tokens.read((token0, token1)).into();
            assert(known == 0, 'pair exists');
            let count = self.count.read() + 1;
            let (pair, _) = starknet::syscalls::deploy_syscall(
                self.pair_class.read(),
                count.into(),
                array![token0.into(), token1.into()].span(),
                false
            )
                .unwrap_syscall();
            self.count.write(count);
            self.pairs.write(count, pair);
            self.of_tokens.write((token0, token1), pair);
            self.emit(PairCreated { token0, token1, pair, total_pairs: count });
            pair
        }

        fn get_pair(
            self: @ContractState, token0: ContractAddress, token1: ContractAddress
        ) -> ContractAddress {
            self.of_tokens.read(ordered(token0, token1))
        }

        fn get_all_pairs(self: @ContractState) -> Array<ContractAddress> {
            let count = self.count.read();
            let mut all = array![];
            let mut number = 1;
            while number <= count {
                all.append(self.pairs.read(number));
                number += 1;
            };
            all
        }

        fn get_num_of_pairs(self: @ContractState) -> u32 {
            self.count.read()
        }

        fn set_pair_class(ref self: ContractState, class_hash: ClassHash) {
            self.pair_class.write(class_hash);
        }
    }

    fn ordered(
        one: ContractAddress, other: ContractAddress
    ) -> (ContractAddress, ContractAddress) {
        let (left, right): (felt252, felt252) = (one.into(), other.into());
        let (left, right): (u256, u256) = (left.into(), right.into());
        assert(left != right, 'identical addresses');
        if left < right {
            (one, other)
        } else {
            (other, one)
        }
    }
}
