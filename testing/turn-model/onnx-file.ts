/** An operation of a model with attributes of integers. */
export interface OnnxNode {
  readonly operation: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>
}

/** A tensor of 32-bit floats. Text dimensions are variable. */
export interface OnnxTensor {
  readonly name: string
  readonly dimensions: readonly (number | string)[]
}

export interface OnnxModel {
  readonly inputs: readonly OnnxTensor[]
  readonly outputs: readonly OnnxTensor[]
  readonly nodes: readonly OnnxNode[]
}

/** Versions of the format and of the operations. */
const FORMAT_VERSION = 8
const OPERATIONS_VERSION = 13
const FLOAT = 1
const ATTRIBUTE_TYPES = { integer: 2, integers: 7 }

/** Encodes a model as an ONNX file (protobuf). The numbers are the fields of `onnx.proto`. */
export function encodeOnnxModel({ inputs, outputs, nodes }: OnnxModel): Uint8Array {
  const graph = [
    ...nodes.map((node) => encodeMessage(1, encodeNode(node))),
    encodeText(2, 'graph'),
    ...inputs.map((input) => encodeMessage(11, encodeTensor(input))),
    ...outputs.map((output) => encodeMessage(12, encodeTensor(output))),
  ].flat()
  const operations = [...encodeText(1, ''), ...encodeNumber(2, OPERATIONS_VERSION)]
  return Uint8Array.from([
    ...encodeNumber(1, FORMAT_VERSION),
    ...encodeMessage(7, graph),
    ...encodeMessage(8, operations),
  ])
}

function encodeNode({ operation, inputs, outputs, attributes = {} }: OnnxNode): number[] {
  return [
    ...inputs.flatMap((input) => encodeText(1, input)),
    ...outputs.flatMap((output) => encodeText(2, output)),
    ...encodeText(4, operation),
    ...Object.entries(attributes).flatMap(([name, value]) => encodeMessage(5, encodeAttribute(name, value))),
  ]
}

function encodeAttribute(name: string, value: number | readonly number[]): number[] {
  if (typeof value === 'number')
    return [...encodeText(1, name), ...encodeNumber(3, value), ...encodeNumber(20, ATTRIBUTE_TYPES.integer)]
  const numbers = value.flatMap((item) => encodeNumber(8, item))
  return [...encodeText(1, name), ...numbers, ...encodeNumber(20, ATTRIBUTE_TYPES.integers)]
}

function encodeTensor({ name, dimensions }: OnnxTensor): number[] {
  const shape = dimensions.flatMap((dimension) => {
    return encodeMessage(1, typeof dimension === 'number' ? encodeNumber(1, dimension) : encodeText(2, dimension))
  })
  const type = encodeMessage(1, [...encodeNumber(1, FLOAT), ...encodeMessage(2, shape)])
  return [...encodeText(1, name), ...encodeMessage(2, type)]
}

function encodeText(field: number, text: string): number[] {
  return encodeMessage(field, [...new TextEncoder().encode(text)])
}

function encodeMessage(field: number, bytes: readonly number[]): number[] {
  return [...encodeInteger(field * 8 + 2), ...encodeInteger(bytes.length), ...bytes]
}

function encodeNumber(field: number, value: number): number[] {
  return [...encodeInteger(field * 8), ...encodeInteger(value)]
}

/** Encodes a non-negative integer in groups of seven bits. */
function encodeInteger(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...encodeInteger(Math.floor(value / 128))]
}
