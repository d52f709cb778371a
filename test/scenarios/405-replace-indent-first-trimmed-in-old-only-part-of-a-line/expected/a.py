class A:
    async def g(self):
        for i in x:
            pass
