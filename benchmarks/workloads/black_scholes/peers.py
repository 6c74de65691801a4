import numpy as np
from peer import counted, first, hash_of, measure, second


def main(_, sizes):
    (n,) = sizes
    import numba

    between = lambda low, high, i: low + (high - low) * ((hash_of(i) % 65536).astype(np.float64) / 65536.0)
    stock, strike = between(5.0, 30.0, counted(n)), between(1.0, 100.0, counted(n, 77))
    years = between(0.25, 10.0, counted(n, 777))
    rate, vol = 0.02, 0.3

    def below(d):
        k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
        poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * poly
        return np.where(d > 0.0, 1.0 - tail, tail)

    def whole_arrays():
        spread = vol * np.sqrt(years)
        d1 = (np.log(stock / strike) + (rate + 0.5 * vol * vol) * years) / spread
        now = strike * np.exp(-rate * years)
        n1, n2 = below(d1), below(d1 - spread)
        return stock * n1 - now * n2, now * (1.0 - n2) - stock * (1.0 - n1)

    measure("numpy", "whole arrays", whole_arrays, first, second)

    @numba.njit(fastmath=True)
    def one_below(d):
        k = 1.0 / (1.0 + 0.2316419 * abs(d))
        poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * poly
        return 1.0 - tail if d > 0.0 else tail

    @numba.njit(parallel=True, fastmath=True)
    def loops(stock, strike, years, rate, vol):
        call, put = np.empty(len(stock)), np.empty(len(stock))
        for i in numba.prange(len(stock)):
            spread = vol * np.sqrt(years[i])
            d1 = (np.log(stock[i] / strike[i]) + (rate + 0.5 * vol * vol) * years[i]) / spread
            now = strike[i] * np.exp(-rate * years[i])
            n1, n2 = one_below(d1), one_below(d1 - spread)
            call[i] = stock[i] * n1 - now * n2
            put[i] = now * (1.0 - n2) - stock[i] * (1.0 - n1)
        return call, put

    measure("numba", "parallel, fastmath", lambda: loops(stock, strike, years, rate, vol), first, second)
