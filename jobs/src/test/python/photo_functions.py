"""The functions of python_benchmark.py, which Millrace calls as transforms `python` and which a DataLoader calls in its workers."""

EDGE = 224


def albumentations():
    """Returns a pipeline of Albumentations: crop, flip and colours of `image`."""
    import albumentations
    import cv2

    cv2.setNumThreads(0)
    return albumentations.Compose([
        albumentations.RandomResizedCrop((EDGE, EDGE)),
        albumentations.HorizontalFlip(p=0.5),
        albumentations.ColorJitter(brightness=(0.8, 1.2), contrast=(0.8, 1.2), saturation=(0.8, 1.2), hue=(0, 0), p=0.8),
    ])


def torchvision():
    """Returns the same pipeline of torchvision, for tensors."""
    from torchvision.transforms import v2

    return v2.Compose([
        v2.RandomResizedCrop(EDGE, antialias=True),
        v2.RandomHorizontalFlip(),
        v2.RandomApply([v2.ColorJitter(brightness=0.2, contrast=0.2, saturation=0.2)], p=0.8),
    ])


class TorchvisionImage:
    """The pipeline of torchvision as a function of the field `image` alone."""

    def __init__(self):
        self.transform = torchvision()

    def __call__(self, image):
        return self.transform(image)
