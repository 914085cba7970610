import { expect, test } from 'vitest'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { addressWarnings } from './webhook-service.ts'

test.each([
  ['http://127.0.0.1/a', true],
  ['https://10.1.2.3:8443', true],
  ['http://[::1]/', true],
  ['http://[::ffff:10.0.0.1]/', true],
  ['http://169.254.169.254/latest/meta-data', true],
  ['http://2130706433/', true],
  ['http://localhost:3000', true],
  ['http://hooks.localhost', true],
  ['https://93.184.216.34/', false],
  ['https://hooks.example.com/', false],
  ['http://127.0.0.1:4300/', false],
  ['http://127.0.0.1:4301/', true],
])('%s: rejected %s', (url, isRefused) => {
  const policy = createTargetPolicy({ allowPrivateTargets: ['127.0.0.1:4300'] })
  expect(addressWarnings(url, policy)).toHaveLength(isRefused ? 1 : 0)
})
