process.env.REELAY_TEST_ENGINE = 'postgres';
