import { z } from 'zod'

/** `provider/model` or a bare name. Whether a configured provider has the model is only checked when it is used. */
export const ModelName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,199}$/, 'must be a model name such as "provider/model"')
export type ModelName = z.infer<typeof ModelName>
