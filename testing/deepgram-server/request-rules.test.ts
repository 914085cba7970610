import { expect, test } from 'vitest'
import { findRequestProblem } from './request-rules.ts'

const NOVA = 'v1/listen?model=nova-3&encoding=linear16&sample_rate=8000'
const FLUX = 'v2/listen?model=flux-general-en&encoding=linear16&sample_rate=16000'
const AURA = 'v1/speak?model=aura-2-thalia-en&encoding=linear16&sample_rate=8000'
const FLUX_VOICE = 'v2/speak?model=flux-haley-en&encoding=linear16&sample_rate=16000'

const getStatus = (request: string): number | null => findRequestProblem(new URL(request, 'http://127.0.0.1'))

test.each([
  NOVA,
  `${NOVA}&interim_results=true&utterance_end_ms=1000&endpointing=10&keyterm=a&keyterm=b%20c`,
  `${NOVA}&endpointing=false`,
  'v1/listen?model=nova-2-phonecall&encoding=linear16&sample_rate=8000&keywords=a',
  `${FLUX}&eot_threshold=1&eager_eot_threshold=0.3&eot_timeout_ms=500`,
  'v2/listen?model=flux-general-multi&encoding=linear16&sample_rate=8000&language_hint=de&language_hint=en',
  `${AURA}&speed=0.7`,
  `${FLUX_VOICE}&speed=1.15&expressivity=-2`,
])('accepts %s', (request) => {
  expect(getStatus(request)).toBeNull()
})

test.each([
  ['v3/listen?model=nova-3', 404],
  [NOVA.replace('nova-3', 'flux-general-en'), 400],
  [NOVA.replace('linear16', 'wav'), 400],
  [NOVA.replace('&sample_rate=8000', ''), 400],
  [`${NOVA}&utterance_end_ms=1000`, 400],
  [`${NOVA}&interim_results=true&utterance_end_ms=999`, 400],
  [`${NOVA}&endpointing=0`, 400],
  [`${NOVA}&keywords=a`, 400],
  [`${NOVA}&eot_threshold=0.7`, 400],
  [FLUX.replace('flux', 'nova'), 400],
  [`${FLUX}&eot_threshold=0.4`, 400],
  [`${FLUX}&eager_eot_threshold=0.95`, 400],
  [`${FLUX}&eot_timeout_ms=499`, 400],
  [`${FLUX}&language_hint=en`, 400],
  [`${FLUX}&language=en`, 400],
  [`${AURA}&speed=0.65`, 400],
  [AURA.replace('8000', '22050'), 400],
  [`${FLUX_VOICE}&speed=1.12`, 400],
  [`${FLUX_VOICE}&expressivity=0.5`, 400],
] as const)('rejects %s', (request, status) => {
  expect(getStatus(request)).toBe(status)
})
