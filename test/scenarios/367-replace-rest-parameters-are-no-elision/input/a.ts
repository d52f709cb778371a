const a = { x };
