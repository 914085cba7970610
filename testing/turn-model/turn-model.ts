import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeOnnxModel, type OnnxModel } from './onnx-file.ts'

/** A model with the input and the output of Smart Turn v3. The probability grows with the mean of the features. */
export const TURN_MODEL: OnnxModel = {
  inputs: [{ name: 'input_features', dimensions: ['batch', 80, 800] }],
  outputs: [{ name: 'logits', dimensions: ['batch'] }],
  nodes: [
    {
      operation: 'ReduceMean',
      inputs: ['input_features'],
      outputs: ['mean'],
      attributes: { axes: [1, 2], keepdims: 0 },
    },
    { operation: 'Sigmoid', inputs: ['mean'], outputs: ['logits'] },
  ],
}

/** A temporary model file. */
export interface ModelFile extends AsyncDisposable {
  readonly path: string
}

/** Writes a model or other content to a temporary file. */
export async function writeModelFile(content: OnnxModel | Uint8Array): Promise<ModelFile> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-model-'))
  const path = join(folder, 'model.onnx')
  await writeFile(path, content instanceof Uint8Array ? content : encodeOnnxModel(content))
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}
