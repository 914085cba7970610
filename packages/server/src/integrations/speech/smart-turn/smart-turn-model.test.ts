import { createBabble, createWhiteNoise } from '@parley/engine/audio/generated-audio-test-kit'
import { expect, test } from 'vitest'
import type { OnnxModel } from '../../../../../../testing/turn-model/onnx-file.ts'
import { TURN_MODEL, writeModelFile } from '../../../../../../testing/turn-model/turn-model.ts'
import { computeLogMel } from './log-mel.ts'
import { SmartTurnModel } from './smart-turn-model.ts'

const AUDIO = { rateHz: 16_000, durationMs: 3_000, amplitude: 8_000 } as const

test('runs a model file on the features of the audio', async () => {
  await using file = await writeModelFile(TURN_MODEL)
  const model = await SmartTurnModel.load(file.path)
  const probabilities: number[] = []
  for (const samples of [createBabble(AUDIO), createWhiteNoise({ ...AUDIO, durationMs: 8_000 })]) {
    const features = computeLogMel(samples)
    const mean = features.reduce((sum, value) => sum + value, 0) / features.length
    const probability = await model.estimate({ rateHz: 16_000, samples })
    expect(probability).toBeCloseTo(1 / (1 + Math.exp(-mean)), 3)
    probabilities.push(probability)
  }
  expect(Math.abs((probabilities[0] ?? 0) - (probabilities[1] ?? 0))).toBeGreaterThan(0.1)
})

test('resamples audio of phone calls', async () => {
  await using file = await writeModelFile(TURN_MODEL)
  const model = await SmartTurnModel.load(file.path)
  const wideband = createBabble(AUDIO)
  const narrowband = wideband.filter((_, index) => index % 2 === 0)
  const [expected, actual] = [
    await model.estimate({ rateHz: 16_000, samples: wideband }),
    await model.estimate({ rateHz: 8_000, samples: narrowband }),
  ]
  expect(Math.abs(expected - actual)).toBeLessThan(0.05)
})

const [input] = TURN_MODEL.inputs
const otherModels: [string, OnnxModel | Uint8Array, RegExp][] = [
  ['a file of another format', new TextEncoder().encode('not a model'), /./],
  ['an empty file', new Uint8Array(0), /./],
  [
    'another input shape',
    { ...TURN_MODEL, inputs: [{ name: 'input_features', dimensions: ['batch', 80, 3_000] }] },
    /80 x 800/,
  ],
  [
    'another input name',
    {
      ...TURN_MODEL,
      inputs: [{ name: 'audio', dimensions: ['batch', 80, 800] }],
      nodes: TURN_MODEL.nodes.map((node) => ({
        ...node,
        inputs: node.inputs.map((name) => (name === input?.name ? 'audio' : name)),
      })),
    },
    /input_features/,
  ],
  [
    'an output without sigmoid',
    {
      ...TURN_MODEL,
      nodes: TURN_MODEL.nodes.with(1, { operation: 'Identity', inputs: ['mean'], outputs: ['logits'] }),
    },
    /not a probability/,
  ],
]

test.each(otherModels)('rejects %s', async (_, content, message) => {
  await using file = await writeModelFile(content)
  await expect(SmartTurnModel.load(file.path)).rejects.toThrow(message)
})
