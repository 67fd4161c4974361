// @module-tag slow
import { testSavedDisks } from '../../support/engine-driver/saved-disks.js';

testSavedDisks();
