import { expect, test } from 'vitest'
import { linePoints } from './sparkline.tsx'

test('a line goes from edge to edge and as high as its highest value', () => {
  expect(linePoints([0, 2, 4], 10, 20)).toBe('0.0,20.0 5.0,10.0 10.0,0.0')
})

test('a course of nothing lies at the bottom', () => {
  expect(linePoints([0, 0], 10, 20)).toBe('0.0,20.0 10.0,20.0')
})
