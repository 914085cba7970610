import { z } from 'zod'

/** Model name: `provider/model` or a bare name. The server checks only on use whether a configured provider has the model. */
export const ModelName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,199}$/, 'must be a model name such as "provider/model"')
export type ModelName = z.infer<typeof ModelName>
