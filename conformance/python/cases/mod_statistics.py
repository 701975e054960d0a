import statistics as s; print(s.mean([1, 2, 3, 4]), s.mean([1, 2]), s.mean([1.5, 2.5]), s.mean([10]))

import statistics as s; s.mean([])

import statistics as s; print(s.median([3, 1, 2]), s.median([1, 2, 3, 4]), s.median([1.5]), s.median_low([1, 2, 3, 4]), s.median_high([1, 2, 3, 4]))

import statistics as s; s.median([])

import statistics as s; print(s.mode([1, 2, 2, 3]), s.mode('aabbb'), s.multimode([1, 1, 2, 2]), s.multimode([]))

import statistics as s; s.mode([])

import statistics as s; print(s.stdev([1, 2, 3, 4]), s.pstdev([1, 2, 3, 4]), s.variance([1, 2, 3, 4]), s.pvariance([1, 2, 3, 4]))

import statistics as s; s.stdev([1])

import statistics as s; s.variance([])

import statistics as s; print(s.fmean([1, 2, 3]), s.fmean([1.5, 2]), s.fmean([1, 2], [1, 3])); s.fmean([])

import statistics as s; print(s.geometric_mean([1, 10, 100]), s.harmonic_mean([40, 60]), s.harmonic_mean([40, 60], weights=[5, 30]))

import statistics as s; print(s.quantiles([1, 2, 3, 4, 5]), s.quantiles(range(1, 11), n=4), s.quantiles([1, 2, 3], n=2, method='inclusive'), s.quantiles([1, 2, 3, 4], n=10))

import statistics as s; s.quantiles([1])

import statistics as s; print(s.median_grouped([52, 52, 53, 54]), s.median_grouped([1, 3, 3, 5, 7], interval=2))

import statistics as s; print(s.correlation([1, 2, 3], [2, 4, 6]), s.covariance([1, 2, 3], [1, 5, 7]), s.linear_regression([1, 2, 3], [2, 4, 6]))

import statistics as s; s.correlation([1], [1])

import statistics as s; n = s.NormalDist(100, 15); print(n.mean, n.stdev, n.cdf(100), n.pdf(100), round(n.inv_cdf(0.975), 6), n)

import statistics as s; n = s.NormalDist.from_samples([1, 2, 3, 4]); print(n, n.variance, s.NormalDist(1, 2) + s.NormalDist(3, 4), s.NormalDist(1, 2) * 3, n.zscore(4), s.NormalDist(0, 1).overlap(s.NormalDist(1, 1)))

import statistics as s; print(s.mean([True, False, True]), s.mean([1, 2.0]), s.variance([2.75, 1.75, 1.25, 0.25, 0.5, 1.25, 3.5]), s.pvariance([0.0, 0.25, 0.25, 1.25, 1.5, 1.75, 2.75, 3.25]))

import statistics as s; print(s.stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75]), s.pstdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75]), s.variance([1, 2, 3], xbar=2))

import statistics as s; print(s.mean(x for x in range(5)), s.median(iter([5, 1])), issubclass(s.StatisticsError, ValueError))

import statistics as s; losses = [0.9, 0.7, 0.55, 0.6]; print(f'{s.mean(losses):.4f} ± {s.stdev(losses):.4f}', min(losses), s.fmean(losses))
