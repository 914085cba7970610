import { expect, test } from 'vitest'
import { outputDelayMs } from './output-delay.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

test('the browser tells how long its sound is on its way', () => {
  expect(outputDelayMs({ outputLatency: 0.03, baseLatency: 0.01 }, CHROME)).toBe(30)
  expect(outputDelayMs({ outputLatency: 0, baseLatency: 0.01 }, CHROME)).toBe(10)
})

test('Firefox is not asked, since the page could stand still for ever', () => {
  const context = {
    baseLatency: 0,
    get outputLatency(): number {
      throw new Error('asked')
    },
  }
  expect(outputDelayMs(context, FIREFOX)).toBe(50)
})
