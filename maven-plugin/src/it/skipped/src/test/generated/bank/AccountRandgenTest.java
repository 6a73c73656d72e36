package bank;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AccountRandgenTest {
    @Test
    void deposit_addsToBalance() {
        Account account = new Account();
        account.deposit(5L);
        assertEquals(5L, account.getBalance());
    }
}
