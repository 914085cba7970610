import { expect, test } from 'vitest'
import { formatLinePoints } from './stats.tsx'

test.each([
  [[0, 2, 4], '0.0,20.0 5.0,10.0 10.0,0.0'],
  [[0, 0], '0.0,20.0 10.0,20.0'],
])('the sparkline of %j has the points %s', (values, points) => expect(formatLinePoints(values, 10, 20)).toBe(points))
